import type { Own } from '../../platform/database/own.ts';
import { AppError } from '../../platform/errors.ts';
import { LocksOutdated } from '../../platform/ledger/locks.ts';
import { recordGiven } from '../given.ts';
import { holdersOf } from '../holders.ts';
import type { RecordGiven } from '../new-record.ts';
import { recordLock } from '../record-row.ts';
import type { ObjectType } from '../types/definition.ts';
import { type Checked, readValues, usersIn } from '../types/values.ts';
import { assertNames, type ByValue, byValueOf, valueLock } from '../upsert.ts';
import type { Patch } from '../write.ts';

export type Operation =
  | ({ operation: 'create' } & RecordGiven)
  | ({ operation: 'update'; id: string } & Patch)
  | ({ operation: 'upsert'; field: string; value: unknown } & RecordGiven)
  | { operation: 'delete'; id: string; revision?: number };

/** What an operation says, read by the definition. `asNew`, `asPatch`: its values, for a record that is made and for one that is there. */
export type Read =
  | { operation: 'create'; given: RecordGiven; asNew: Checked }
  | { operation: 'update'; id: string; revision?: number; given: RecordGiven; asPatch?: Checked }
  | { operation: 'upsert'; by: ByValue; given: RecordGiven; asNew: Checked; asPatch?: Checked }
  | { operation: 'delete'; id: string; revision?: number }
  | { operation: 'failed'; error: AppError };

/** What one operation may fail with while the others go on. */
export const isRefusal = (error: unknown): error is AppError =>
  error instanceof AppError && !(error instanceof LocksOutdated) && error.status < 500;

export function readOperation(type: ObjectType, one: Operation): Read {
  try {
    return readOne(type, one);
  } catch (error) {
    if (isRefusal(error)) return { operation: 'failed', error };
    throw error;
  }
}

/** The 422 of `PATCH` with the same body. */
function emptyUpdate(): AppError {
  const message = `An update must contain at least one of ${Object.keys(recordGiven).join(', ')}`;
  return new AppError('invalid_request', message, { details: [{ message, code: 'object.missing', location: 'body' }] });
}

function readOne(type: ObjectType, one: Operation): Read {
  const patched = (fields: RecordGiven['fields']) => fields && readValues(type, fields, { isNew: false });
  if (one.operation === 'delete') return one;
  if (one.operation === 'create') {
    const { operation, ...given } = one;
    return { operation, given, asNew: readValues(type, given.fields ?? {}, { isNew: true }) };
  }
  if (one.operation === 'update') {
    const { operation, id, revision, ...given } = one;
    if (Object.keys(given).length === 0) throw emptyUpdate();
    return { operation, id, revision, given, asPatch: patched(given.fields) };
  }
  const { operation, field, value, ...given } = one;
  const by = byValueOf(type, { field, value }, 'body');
  assertNames(by, given);
  const fields = { [by.field.name]: by.value, ...given.fields };
  return { operation, by, given, asNew: readValues(type, fields, { isNew: true }), asPatch: patched(given.fields) };
}

/** Whom the values of all name. */
export const usersOf = (type: ObjectType, reads: Read[]): string[] => [
  ...new Set(
    reads.flatMap((one) => [
      ...('asNew' in one ? usersIn(type, one.asNew.values) : []),
      ...('asPatch' in one && one.asPatch ? usersIn(type, one.asPatch.values) : []),
    ]),
  ),
];

/** The locks of all that the operations name, from a look at who has the values. A value that is not valid is refused later. */
export async function locksOf(own: Own, type: ObjectType, operations: Operation[]): Promise<string[]> {
  const named = operations.flatMap((one) => ('id' in one ? [recordLock(one.id)] : []));
  const upserts = operations.filter(({ operation }) => operation === 'upsert').map((one) => readOperation(type, one));
  const by = upserts.flatMap((one) => (one.operation === 'upsert' ? [one.by] : []));
  const holders = await holdersOf(
    own,
    by.map(({ row }) => row),
  );
  return [...named, ...by.map(valueLock), ...holders.ids().map(recordLock)];
}
