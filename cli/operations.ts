import { type Control, controlOperation, listOperationsOf, readOperation } from '../src/operator/operations.ts';
import { type OperationRow, operationStatus } from '../src/platform/ledger/operations.ts';
import { idArgument } from './arguments.ts';
import type { Column } from './columns.ts';
import { withDatabase, withLedger } from './connect.ts';
import { eachOf } from './each-of.ts';
import { type ListOptions, printList, time } from './print-list.ts';

export async function listOperationsCommand(organizationId: string, options: ListOptions) {
  const id = idArgument(organizationId, 'an organization');
  const rows = await withDatabase((database) => listOperationsOf(database, id));
  const shown: Column<OperationRow>[] = [
    ['id', (row) => row.id],
    ['kind', (row) => row.name],
    ['status', operationStatus],
    ['progress', progressOf],
    ['asked for', (row) => time(row.created_at)],
    ['ended', (row) => time(row.finished_at)],
  ];
  printList(rows, shown, options);
}

const progressOf = ({ progress }: OperationRow) =>
  Object.entries(progress ?? {})
    .map(([name, value]) => `${name} ${value}`)
    .join(', ');

const done = { cancel: 'is called off', pause: 'is paused', resume: 'goes on' };
const before = { cancel: 'was called off before', pause: 'was paused before', resume: 'is not paused' };

export async function controlOperationsCommand(control: Control, texts: string[]) {
  const ids = texts.map((text) => idArgument(text, 'an operation'));
  await withLedger(({ transact }, database) =>
    eachOf(ids, async (id) => {
      const isDone = await controlOperation({ database, transact }, id, control);
      return `Operation ${id} ${isDone ? done[control] : `${before[control]}: nothing to do`}`;
    }),
  );
}

export async function showOperationsCommand(texts: string[]) {
  const ids = texts.map((text) => idArgument(text, 'an operation'));
  await withDatabase((database) =>
    eachOf(ids, async (id) => {
      const row = await readOperation(database, id);
      const facts = [row.name, operationStatus(row), progressOf(row), `asked for ${time(row.created_at)}`].filter(Boolean);
      if (row.finished_at) facts.push(`ended ${time(row.finished_at)}`);
      if (row.error) facts.push(row.error.message);
      return `${id}  ${facts.join(', ')}`;
    }),
  );
}
