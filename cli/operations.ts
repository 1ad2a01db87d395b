import { type Control, controlOperation, readOperation } from '../src/operator/operations.ts';
import { operationStatus } from '../src/platform/ledger/operations.ts';
import { idArgument } from './arguments.ts';
import { withDatabase, withLedger } from './connect.ts';
import { eachOf } from './each-of.ts';
import { time } from './print-list.ts';

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
      const progress = Object.entries(row.progress ?? {}).map(([name, value]) => `${name} ${value}`);
      const facts = [row.name, operationStatus(row), ...progress, `asked for ${time(row.created_at)}`];
      if (row.finished_at) facts.push(`ended ${time(row.finished_at)}`);
      if (row.error) facts.push(row.error.message);
      return `${id}  ${facts.join(', ')}`;
    }),
  );
}
