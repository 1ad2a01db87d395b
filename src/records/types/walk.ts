import { violatedConstraint } from '../../platform/database/errors.ts';
import { statement } from '../../platform/database/statement.ts';
import type { RowOf } from '../../platform/database/tables.ts';
import { AppError } from '../../platform/errors.ts';
import type { TenantTransact } from '../../platform/ledger/tenant.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import type { CrmRecord } from '../record.entity.ts';
import type { Field, ObjectType } from './definition.ts';
import { displayNameOf, type IndexedValue, indexedText, rowsOf, searchTextOf } from './indexed-values.ts';
import { typeForWrite } from './object-type.ts';
import { ObjectField, ObjectType as ObjectTypeEntity } from './type.entity.ts';

/** Of a walk whose records nobody has measured yet. */
export const firstSize = 20;
const leastSize = 5;
const mostSize = 1_000;
const soonMs = 20;
const lateMs = 40;

/**
 * How many records the next step takes, after one that held its records for `tookMs`: a writer of one of them waits that long, and shall wait
 * less than 100 ms. Records with many values or long texts cost a hundred times what short ones do. What took too long fits at once.
 */
export function nextSize(size: number, tookMs: number): number {
  if (tookMs > lateMs) return Math.max(leastSize, Math.floor(size * Math.min(1 / 2, soonMs / tookMs)));
  return tookMs < soonMs ? Math.min(mostSize, Math.ceil(size * 1.5)) : size;
}

export type WalkedRecord = RowOf<typeof CrmRecord, 'id' | 'fields' | 'search_text' | 'display_name'> & { is_live: boolean };

/** SQL: a position over both parts of a type, live and in the bin; locked, so that a value cannot change meanwhile. */
const nextRecords = `
  select r.id, r.fields, r.search_text, r.display_name, r.deleted_at is null as is_live
    from records r
   where r.organization_id = $1
     and r.id = any(array(
         select n.id
           from ((select id
                    from records
                   where organization_id = $1 and type_id = $2 and deleted_at is null and id > $3
                   order by id
                   limit $4)
                 union all
                 (select id
                    from records
                   where organization_id = $1 and type_id = $2 and deleted_at is not null and id > $3
                   order by id
                   limit $4)) n
          order by n.id
          limit $4))
   order by r.id
     for no key update`;

const beginning = '00000000-0000-0000-0000-000000000000';

export const takeRecords = (tx: OwnTx, typeId: string, after: string | null, limit: number) =>
  tx.sql<WalkedRecord>(nextRecords, [typeId, after ?? beginning, limit]);

const fieldById = statement((select, { id }: { id: string }) =>
  select(ObjectField, ObjectTypeEntity)
    .innerJoin('object_types', 'object_types.id', 'object_fields.type_id')
    .select(['object_fields.type_id', 'object_fields.name', 'object_fields.walked_to', 'object_fields.removed_at'])
    .select(['object_types.kind', 'object_types.deleted_at'])
    .where('object_fields.id', '=', id),
);
export const walkedField = async (own: Parameters<typeof fieldById>[0], id: string) => (await fieldById(own, { id }))[0];

export const moveOn = (tx: OwnTx, fieldId: string, records: WalkedRecord[]) =>
  tx.update(ObjectField, { id: fieldId }, { walked_to: records.at(-1)!.id });

/** What a search reads of them, and their names, which have the labels of options. SQL: texts of many records at once. */
export async function writeTexts(tx: OwnTx, type: ObjectType, records: WalkedRecord[]): Promise<void> {
  const changed = records
    .map(({ id, fields, ...old }) => ({ id, old, text: searchTextOf(type, fields), name: displayNameOf(type, fields) }))
    .filter(({ old, text, name }) => old.search_text !== text || old.display_name !== name)
    .map(({ id, text, name }) => ({ id, text, name }));
  if (changed.length === 0) return;
  await tx.sql(
    `update records r
        set search_text = x.text, display_name = x.name
       from jsonb_to_recordset($2::jsonb) as x (id uuid, text text, name text)
      where r.organization_id = $1 and r.id = x.id`,
    [JSON.stringify(changed)],
  );
}

/** Two records or more have the same value. The ids of the first of them. */
export class Doubles extends AppError {
  readonly ids: string[];
  constructor(name: string, ids: string[]) {
    super('conflict', `Records have the same ${name}: ${ids.join(', ')}`);
    this.ids = ids;
  }
}

/** `walkedTo`: the position after it, by which the end knows that nobody began the walk anew. `tookMs`: so long it held its records. */
export type IndexStep = { isLast: boolean; done: number; walkedTo: string | null; tookMs: number };

/** Undefined: the field is no more. Over: `isLast`. Each step is one transaction; a step that runs twice writes the same. */
export async function takeIndexStep(
  transact: TenantTransact,
  own: Parameters<typeof walkedField>[0],
  fieldId: string,
  size: number,
): Promise<IndexStep | undefined> {
  const seen = await walkedField(own, fieldId);
  if (!seen || seen.removed_at || seen.deleted_at) return undefined;
  let rows: { record_id: string; row: IndexedValue }[] = [];
  let name = '';
  let heldFrom = 0;
  try {
    const step = await transact({}, async ({ own: tx }) => {
      const type = await typeForWrite(tx, seen.kind);
      const field = type.fields.find(({ id }) => id === fieldId);
      const now = await walkedField(tx, fieldId);
      if (!field || !now) return undefined;
      name = field.name;
      heldFrom = performance.now();
      const records = await takeRecords(tx, type.id, now.walked_to, size);
      if (records.length === 0) return { isLast: true, done: 0, walkedTo: now.walked_to };
      rows = rowsOfRecords(field, records);
      await writeRows(tx, field, records, rows);
      await writeTexts(tx, type, records);
      await moveOn(tx, fieldId, records);
      return { isLast: records.length < size, done: records.length, walkedTo: records.at(-1)!.id };
    });
    return step && { ...step, tookMs: performance.now() - heldFrom };
  } catch (error) {
    if (!violatedConstraint(error)?.startsWith('record_values_unique_')) throw error;
    throw new Doubles(name, await transact({}, ({ own: tx }) => doublesOf(tx, fieldId, rows)));
  }
}

const rowsOfRecords = (field: Field, records: WalkedRecord[]) =>
  field.indexState === null
    ? []
    : records
        .filter(({ is_live, fields }) => is_live && Object.hasOwn(fields, field.name))
        .flatMap(({ id, fields }) => rowsOf(field, fields[field.name]).map((row) => ({ record_id: id, row })));

const flat = (rows: { record_id: string; row: IndexedValue }[]) =>
  JSON.stringify(rows.map(({ record_id, row }) => ({ record_id, ...row })));
const given = 'record_id uuid, field_id uuid, ordinal int, text text, number numeric, time timestamptz, is_unique boolean';

/** SQL: sets. */
const removeOthers = `
  delete from record_values v
   using unnest($3::uuid[], $4::int[]) as k (record_id, kept)
   where v.organization_id = $1 and v.record_id = k.record_id and v.field_id = $2 and v.ordinal >= k.kept`;

/**
 * SQL: on conflict and sets. What a writer wrote meanwhile is the same value: the record is locked. Rows of an earlier index may be left where
 * the field was indexed again before they were removed: nobody kept them up to date.
 */
async function writeRows(tx: OwnTx, field: Field, records: WalkedRecord[], rows: { record_id: string; row: IndexedValue }[]) {
  const kept = Map.groupBy(rows, ({ record_id }) => record_id);
  await tx.sql(removeOthers, [field.id, records.map(({ id }) => id), records.map(({ id }) => kept.get(id)?.length ?? 0)]);
  if (rows.length === 0) return;
  await tx.sql(
    `insert into record_values (organization_id, record_id, field_id, ordinal, text_value, number_value, time_value, is_unique)
     select $1, r.record_id, r.field_id, r.ordinal, ${indexedText('r.text')}, r.number, r.time, r.is_unique
       from jsonb_to_recordset($2::jsonb) as r (${given})
      order by r.record_id, r.ordinal
     on conflict (organization_id, record_id, field_id, ordinal)
     do update set text_value = excluded.text_value, number_value = excluded.number_value,
                   time_value = excluded.time_value, is_unique = excluded.is_unique`,
    [flat(rows)],
  );
}

/** SQL: of the step's rows and those of the index, the first that share a value. */
async function doublesOf(tx: OwnTx, fieldId: string, rows: { record_id: string; row: IndexedValue }[]): Promise<string[]> {
  const found = await tx.sql<{ ids: string[] }>(
    `with given as (
       select r.record_id, ${indexedText('r.text')} as text_value, r.number as number_value, r.time as time_value
         from jsonb_to_recordset($3::jsonb) as r (${given})),
     near as (
       select * from given
        union
       select v.record_id, v.text_value, v.number_value, v.time_value
         from given g
         join record_values v on v.organization_id = $1 and v.field_id = $2
          and (v.text_value = g.text_value or v.number_value = g.number_value or v.time_value = g.time_value))
     select (array_agg(record_id order by record_id))[1:3] as ids
       from near
      group by text_value, number_value, time_value
     having count(distinct record_id) > 1
      order by min(record_id::text)
      limit 1`,
    [fieldId, flat(rows)],
  );
  return found[0]?.ids ?? [];
}
