import { violatedConstraint } from '../../platform/database/errors.ts';
import { AppError } from '../../platform/errors.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import type { Field, ObjectType } from './definition.ts';
import { maxIndexedCharacters } from './value-readers.ts';
import type { Values } from './values.ts';

/** A row of record_values; `text` is folded and cut by the database, as it is written. */
export type IndexedValue = {
  field_id: string;
  ordinal: number;
  text?: string;
  number?: string;
  time?: string;
  is_unique: boolean;
};

/** Whether its values have rows: from the moment it is asked for, also while the rows of old records are still being made. */
export const isInIndex = ({ indexState }: Field) => indexState !== null;

/** All rows that a live record with these fields has. A record in the bin has none. */
export const indexedValues = (type: ObjectType, fields: Values): IndexedValue[] =>
  type.fields
    .filter((field) => isInIndex(field) && Object.hasOwn(fields, field.name))
    .flatMap((field) => rowsOf(field, fields[field.name]));

/** Of them those that only one record may have. */
export const uniqueValues = (type: ObjectType, fields: Values): IndexedValue[] =>
  indexedValues(type, fields).filter((row) => row.is_unique);

export function rowsOf({ id, type, isUnique }: Field, value: unknown): IndexedValue[] {
  const row = (stored: Partial<IndexedValue>, ordinal = 0): IndexedValue => ({
    field_id: id,
    ordinal,
    ...stored,
    is_unique: isUnique,
  });
  if (type === 'multi_select') return (value as string[]).map((text, ordinal) => row({ text }, ordinal));
  if (type === 'number' || type === 'integer') return [row({ number: String(value) })];
  if (type === 'boolean') return [row({ number: value ? '1' : '0' })];
  if (type === 'date') return [row({ time: `${value}T00:00:00Z` })];
  if (type === 'datetime') return [row({ time: value as string })];
  if (type === 'currency') {
    const { amount_minor, currency_code } = value as { amount_minor: string; currency_code: string };
    return [row({ number: amount_minor }), { ...row({ text: currency_code }, 1), is_unique: false }];
  }
  return [row({ text: value as string })];
}

const keyOf = ({ field_id, ordinal }: IndexedValue) => `${field_id} ${ordinal}`;
const sayingOf = ({ text, number, time, is_unique }: IndexedValue) => JSON.stringify([text, number, time, is_unique]);

/** `exact`: each text as it is indexed, for those who compare with it. */
export const indexedText = (given: string) => `left(fold(${given}), ${maxIndexedCharacters})`;

/** `replaced`: rows as they were, of which `written` has others in their place. */
export type IndexChanges = { removed: IndexedValue[]; replaced: IndexedValue[]; written: IndexedValue[] };

/** What differs. `before` and `after`: the record's fields; undefined where it is not there or in the bin. */
export function indexChanges(type: ObjectType, before: Values | undefined, after: Values | undefined): IndexChanges {
  const old = before ? indexedValues(type, before) : [];
  const rows = after ? indexedValues(type, after) : [];
  // A row that is being built may be there or not: it is written whatever the record had.
  const building = new Set(type.fields.filter(({ indexState }) => indexState === 'building').map(({ id }) => id));
  const said = new Map(old.map((row) => [keyOf(row), sayingOf(row)]));
  const written = rows.filter((row) => building.has(row.field_id) || said.get(keyOf(row)) !== sayingOf(row));
  const kept = new Set(rows.map(keyOf));
  const rewritten = new Set(written.map(keyOf));
  return {
    removed: old.filter((row) => !kept.has(keyOf(row))),
    replaced: old.filter((row) => rewritten.has(keyOf(row))),
    written,
  };
}

/**
 * Writes what differs. The record's row must be locked or written before it in the same transaction: the job that builds an index locks it
 * too, and so does not bring back an old value. Throws 409 naming the field whose unique value is taken.
 */
export async function writeIndexed(
  tx: OwnTx,
  type: ObjectType,
  recordId: string,
  before: Values | undefined,
  after: Values | undefined,
): Promise<void> {
  const { removed, written } = indexChanges(type, before, after);
  if (removed.length > 0) await removeRows(tx, recordId, removed);
  if (written.length > 0) await upsertRows(tx, type, recordId, written);
}

/** SQL: rows of several fields at once. */
const removeRows = (tx: OwnTx, recordId: string, rows: IndexedValue[]) =>
  tx.sql(
    `delete from record_values v
      using jsonb_to_recordset($3::jsonb) as r (field_id uuid, ordinal int)
      where v.organization_id = $1 and v.record_id = $2
        and v.field_id = r.field_id and v.ordinal = r.ordinal`,
    [recordId, JSON.stringify(rows)],
  );

/** SQL: unnest and on conflict; fold() is the database's. */
async function upsertRows(tx: OwnTx, type: ObjectType, recordId: string, rows: IndexedValue[]): Promise<void> {
  try {
    await tx.sql(
      `insert into record_values (organization_id, record_id, field_id, ordinal, text_value, number_value, time_value, is_unique)
       select $1, $2, r.field_id, r.ordinal, ${indexedText('r.text')}, r.number, r.time, r.is_unique
         from jsonb_to_recordset($3::jsonb)
              as r (field_id uuid, ordinal int, text text, number numeric, time timestamptz, is_unique boolean)
       on conflict (organization_id, record_id, field_id, ordinal)
       do update set text_value = excluded.text_value, number_value = excluded.number_value,
                     time_value = excluded.time_value, is_unique = excluded.is_unique`,
      [recordId, JSON.stringify(rows)],
    );
  } catch (error) {
    throw takenError(type, rows, error) ?? error;
  }
}

const uniqueIndex = /^record_values_unique_(text|number|time)$/;

export const isTakenValue = (error: unknown): boolean => uniqueIndex.test(violatedConstraint(error) ?? '');

/** The 409 of a taken unique value. The database names the index, not the field: with several unique fields of one kind, all are named. */
export function takenError(type: ObjectType, rows: IndexedValue[], error: unknown): AppError | undefined {
  const [, kind] = uniqueIndex.exec(violatedConstraint(error) ?? '') ?? [];
  return kind ? takenOf(type, rows, kind as Kind, error) : undefined;
}

/** The same where it is known which of the rows it is. */
export const takenBy = (type: ObjectType, rows: IndexedValue[], { text, number }: IndexedValue): AppError =>
  takenOf(type, rows, text !== undefined ? 'text' : number !== undefined ? 'number' : 'time');

type Kind = 'text' | 'number' | 'time';

function takenOf(type: ObjectType, rows: IndexedValue[], kind: Kind, cause?: unknown): AppError {
  const ids = new Set(rows.filter((row) => row.is_unique && row[kind]).map(({ field_id }) => field_id));
  const names = type.fields.filter(({ id }) => ids.has(id)).map(({ name }) => name);
  const message = `Another ${type.label} has this ${names.join(' or ')}`;
  return new AppError('conflict', message, {
    details: names.map((name) => ({ field: `fields.${name}`, location: 'body', code: 'unique', message })),
    cause,
  });
}

/** What a search of the records reads beside their names. */
export const searchTextOf = (type: ObjectType, fields: Values): string =>
  type.fields
    .filter(({ isSearchable, name }) => isSearchable && name !== type.displayField && Object.hasOwn(fields, name))
    .map((field) => shownText(field, fields[field.name]))
    .join('\n');

const maxDisplayName = 200;

/** The value of the display field as text; empty without one. */
export function displayNameOf(type: ObjectType, fields: Values): string {
  const field = type.fields.find(({ name }) => name === type.displayField);
  if (!field || !Object.hasOwn(fields, field.name)) return '';
  return [...shownText(field, fields[field.name])].slice(0, maxDisplayName).join('');
}

function shownText({ options }: Field, value: unknown): string {
  const labelOf = (given: unknown) => options.find((option) => option.value === given)?.label ?? String(given);
  if (Array.isArray(value)) return value.map(labelOf).join(', ');
  if (typeof value === 'object' && value !== null) {
    const { amount_minor, currency_code } = value as Record<string, unknown>;
    return `${amount_minor} ${currency_code}`;
  }
  return labelOf(value);
}
