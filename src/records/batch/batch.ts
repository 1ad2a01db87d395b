import type { Own } from '../../platform/database/own.ts';
import { AppError, type ErrorDetail } from '../../platform/errors.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import { holdersOf } from '../holders.ts';
import { refusalsToGo } from '../links.ts';
import { holdRecords, type RecordRow } from '../record-row.ts';
import type { ObjectType } from '../types/definition.ts';
import { uniqueValues } from '../types/indexed-values.ts';
import { membersOf, withMembers } from '../types/values.ts';
import { apply, type Done, touchedOf, type World } from './changes.ts';
import { isRefusal, type Operation, type Read, readOperation, usersOf } from './operations.ts';
import { store, type Telling } from './store.ts';

export type Outcome =
  | { status: 'created' | 'updated' | 'unchanged'; row: RecordRow }
  | { status: 'deleted'; id: string }
  | { status: 'failed'; error: AppError };

type Run = Telling & { isPartial: boolean };

/**
 * In order. Atomic: the first that fails throws, naming its place. Partial: each that fails leaves nothing of itself. The operations are run
 * in memory, on what is read for all of them at once, and then written at once: so many statements whatever their number. Needs the locks of
 * `locksOf`, and then the type as `typeForWrite` gives it.
 */
export async function runBatch(tx: OwnTx, type: ObjectType, operations: Operation[], run: Run): Promise<Outcome[]> {
  const reads = await withUsers(
    tx,
    type,
    operations.map((one) => readOperation(type, one)),
  );
  const world = await lookAround(tx, type, reads);
  const done = reads.map((one, index) => outcomeOf(() => apply(world, one), index, run));
  const rows = await store(tx, type, [...world.records.values()], run);
  return done.map((one): Outcome => {
    if (one.status === 'failed') return one;
    if (one.status === 'deleted') return { status: one.status, id: one.id };
    return { status: one.status, row: rows.get(one.id)! };
  });
}

async function withUsers(own: Own, type: ObjectType, reads: Read[]): Promise<Read[]> {
  const users = usersOf(type, reads);
  if (users.length === 0) return reads;
  const members = await membersOf(own, users);
  return reads.map((one) => ({
    ...one,
    ...('asNew' in one && { asNew: withMembers(type, one.asNew, members) }),
    ...('asPatch' in one && one.asPatch && { asPatch: withMembers(type, one.asPatch, members) }),
  }));
}

/** The records that are named by their ids or by a value, who has which unique value, and what keeps a record. */
async function lookAround(tx: OwnTx, type: ObjectType, reads: Read[]): Promise<World> {
  const named = reads.flatMap((one) => ('id' in one ? [one.id] : []));
  const byValue = await holdersOf(
    tx,
    reads.flatMap((one) => ('by' in one ? [one.by.row] : [])),
  );
  const ids = [...new Set([...named, ...byValue.ids()])];
  const found = ids.length === 0 ? [] : await holdRecords(tx, type.id, ids);
  const values = reads.flatMap((one) => [
    ...('asNew' in one ? uniqueValues(type, one.asNew.values) : []),
    ...('asPatch' in one && one.asPatch ? uniqueValues(type, one.asPatch.values) : []),
    ...('by' in one ? [one.by.row] : []),
  ]);
  const present = found.flatMap(({ fields }) => uniqueValues(type, fields));
  return {
    tx,
    type,
    records: new Map(found.map((row) => [row.id, touchedOf(row)])),
    holders: await holdersOf(tx, [...values, ...present]),
    refusals: await refusalsToGo(
      tx,
      type,
      reads.flatMap((one) => (one.operation === 'delete' ? [one.id] : [])),
    ),
  };
}

type Failed = { status: 'failed'; error: AppError };

function outcomeOf(work: () => Done, index: number, { isPartial }: Run): Done | Failed {
  try {
    return work();
  } catch (error) {
    if (!isRefusal(error)) throw error;
    if (isPartial) return { status: 'failed', error };
    const { message, code, details } = error;
    const whole = details?.length ? details : [{ message, code }];
    throw new AppError(code, message, { details: whole.map(placed(index)), cause: error });
  }
}

const placed = (index: number) => (detail: ErrorDetail) => ({
  ...detail,
  location: 'body',
  field: `operations[${index}]${detail.field ? `.${detail.field}` : ''}`,
});
