import { cut } from '../platform/cut.ts';
import type { Own } from '../platform/database/own.ts';
import { AppError, invalidField } from '../platform/errors.ts';
import { LocksOutdated } from '../platform/ledger/locks.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';
import { holdersOf } from './holders.ts';
import type { RecordGiven } from './new-record.ts';
import type { Changed } from './record-tx.ts';
import type { Field, ObjectType } from './types/definition.ts';
import { type IndexedValue, indexedText, rowsOf, takenBy, uniqueValues } from './types/indexed-values.ts';
import { isFault, readerOf } from './types/value-readers.ts';
import { readValues, type Values } from './types/values.ts';
import { createRecord, patchRecord } from './write.ts';

/** A unique value that names a record. */
export type ByValue = { field: Field; value: unknown; row: IndexedValue };

const refused = (at: { field: string; location: string }, message: string, code: string) =>
  invalidField(at.field, message, code, at.location);

/** `location`: where the client names it. Throws 422 for a field that is not unique, or a value it cannot have; 409 while it becomes unique. */
export function byValueOf(
  type: ObjectType,
  { field: name, value: given }: { field: string; value: unknown },
  location: 'path' | 'body' = 'path',
): ByValue {
  const field = type.fields.find((one) => one.name === name);
  if (!field?.isUnique)
    throw refused(
      { field: location === 'path' ? 'fieldName' : 'field', location },
      `${type.label} has no unique field ${JSON.stringify(cut(name, 64))}`,
      'any.only',
    );
  // Records of before have no row to be found by yet: another one would be made.
  if (field.indexState !== 'ready')
    throw new AppError('conflict', `${name} is not unique yet: its index is being built`, { retryAfterSeconds: 5 });
  const read = readerOf(field)(location === 'path' ? fromText(field, given as string) : given);
  if (isFault(read) || read.value === '') {
    const message = `value ${isFault(read) ? read.message : 'must not be empty'}`;
    throw refused({ field: 'value', location }, message, isFault(read) ? read.code : 'string.empty');
  }
  return { field, value: read.value, row: rowsOf(field, read.value)[0]! };
}

const fromText = ({ type }: Field, text: string): unknown => {
  if ((type === 'number' || type === 'integer') && /^-?\d+(\.\d+)?$/.test(text)) return Number(text);
  if (type === 'boolean' && /^(true|false)$/.test(text)) return text === 'true';
  return text;
};

/** At least as coarse as the index for what people write: who comes second finds the record of the first. */
export const valueLock = ({ field, row }: ByValue) => {
  const text = row.text?.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  return `record-value:${field.id}:${text ?? row.number ?? row.time}`;
};

/** SQL: the unique index, by the column of the value's type; the text is folded as it was when it was written. */
const holder = (column: string, value: string) => `
  select v.record_id as id
    from record_values v
   where v.organization_id = $1
     and v.field_id = $2
     and v.${column} = ${value}
     and v.is_unique`;
const holders = {
  text: holder('text_value', indexedText('$3::text')),
  number: holder('number_value', '$3::numeric'),
  time: holder('time_value', '$3::timestamptz'),
};

export async function findByValue(own: Own, { field, row }: ByValue): Promise<string | undefined> {
  const kind = row.text !== undefined ? 'text' : row.number !== undefined ? 'number' : 'time';
  const [found] = await own.sql<{ id: string }>(holders[kind], [field.id, row[kind]]);
  return found?.id;
}

/**
 * The lock of the record that has the value, where the look did not see it: who came before has made it. In the order of locks it stands
 * behind the value's, which is held; without it all but one of those who come at once would begin anew, behind each other again.
 */
export async function lockHolder(tx: OwnTx, by: ByValue, seenId: string | undefined): Promise<void> {
  tx.assertLocked(valueLock(by));
  const id = await findByValue(tx, by);
  if (id !== undefined && id !== seenId) await tx.lockFound('record', id);
}

export type Upserted = Changed & { isNew: boolean };

/** Needs the value's lock, and the record's when there is one. Throws as createRecord and patchRecord. */
export async function upsertRecord(
  tx: OwnTx,
  type: ObjectType,
  { actor, by, attempt }: { actor: string; by: ByValue; attempt: number },
  given: RecordGiven,
): Promise<Upserted> {
  tx.assertLocked(valueLock(by));
  assertNames(by, given);
  const { name } = by.field;
  const fields = given.fields ?? {};
  const id = await findByValue(tx, by);
  if (id !== undefined) return { ...(await patchRecord(tx, type, given, { id, actor })), isNew: false };
  const all = { [name]: by.value, ...fields };
  if (attempt > 1) await assertOthersFree(tx, type, by, all);
  try {
    const row = await createRecord(tx, type, actor, { ...given, fields: all });
    return { row, isChanged: true, isNew: true };
  } catch (error) {
    // The database does not say which of the values: this one, by somebody who did not ask for its lock, or one of another field.
    if (isTaken(error, name)) throw new LocksOutdated();
    throw error;
  }
}

/** Throws the 409 of another field's unique value. */
async function assertOthersFree(tx: OwnTx, type: ObjectType, { field }: ByValue, fields: Values): Promise<void> {
  const rows = uniqueValues(type, readValues(type, fields, { isNew: true }).values).filter(
    ({ field_id }) => field_id !== field.id,
  );
  const holders = await holdersOf(tx, rows);
  const taken = rows.find((row) => holders.of(row) !== undefined);
  if (taken) throw takenBy(type, rows, taken);
}

/** Throws 422 where the fields have another value. */
export function assertNames(by: ByValue, { fields = {} }: RecordGiven): void {
  const { name } = by.field;
  if (Object.hasOwn(fields, name) && !isSame(by, fields[name]))
    throw invalidField(`fields.${name}`, `fields.${name} must be the value that names the record`, 'any.only');
}

const isSame = ({ field, value }: ByValue, given: unknown) => {
  const read = readerOf(field)(given);
  return !isFault(read) && JSON.stringify(read.value) === JSON.stringify(value);
};

const isTaken = (error: unknown, name: string) =>
  error instanceof AppError && (error.details ?? []).some(({ field, code }) => code === 'unique' && field === `fields.${name}`);
