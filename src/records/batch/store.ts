import { fieldsIn } from '../../history/history.ts';
import { LocksOutdated } from '../../platform/ledger/locks.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import { type RecordRow, recordsById } from '../record-row.ts';
import type { ObjectType } from '../types/definition.ts';
import { type IndexChanges, type IndexedValue, indexChanges, indexedText, isTakenValue } from '../types/indexed-values.ts';
import type { Touched } from './changes.ts';

/** SQL: sets. Before their successors: a unique value may pass from one record to another. */
const removeValues = `
  delete from record_values v
   using jsonb_to_recordset($2::jsonb) as r (record_id uuid, field_id uuid, ordinal int)
   where v.organization_id = $1 and v.record_id = r.record_id and v.field_id = r.field_id and v.ordinal = r.ordinal`;

const columns =
  'id uuid, display_name text, search_text text, fields jsonb, custom_fields jsonb, metadata jsonb, revision int, deleted_at timestamptz';

/**
 * SQL: one statement for all rows of all records, whatever their number. What is null stays as it is; on conflict: rows of an index that is
 * being built.
 */
const writeAll = `
  with made as (
    insert into records as k (organization_id, id, type_id, display_name, search_text, fields, custom_fields, metadata, revision)
    select $1, x.id, $2, x.display_name, x.search_text, x.fields, x.custom_fields, x.metadata, x.revision
      from jsonb_to_recordset($3::jsonb) as x (${columns})
    returning k.id, k.created_at, k.updated_at),
  changed as (
    update records k
       set display_name = coalesce(x.display_name, k.display_name),
           search_text = coalesce(x.search_text, k.search_text),
           fields = coalesce(x.fields, k.fields),
           custom_fields = coalesce(x.custom_fields, k.custom_fields),
           metadata = coalesce(x.metadata, k.metadata),
           deleted_at = coalesce(x.deleted_at, k.deleted_at),
           revision = x.revision,
           updated_at = clock_timestamp()
      from jsonb_to_recordset($4::jsonb) as x (${columns})
     where k.organization_id = $1 and k.id = x.id),
  indexed as (
    insert into record_values (organization_id, record_id, field_id, ordinal, text_value, number_value, time_value, is_unique)
    select $1, r.record_id, r.field_id, r.ordinal, ${indexedText('r.text')}, r.number, r.time, r.is_unique
      from jsonb_to_recordset($5::jsonb)
           as r (record_id uuid, field_id uuid, ordinal int, text text, number numeric, time timestamptz, is_unique boolean)
    on conflict (organization_id, record_id, field_id, ordinal)
    do update set text_value = excluded.text_value, number_value = excluded.number_value,
                  time_value = excluded.time_value, is_unique = excluded.is_unique),
  told as (
    insert into crm_history (organization_id, object_kind, object_id, revision, event_id, actor, changes)
    select $1, 'record', h.object_id, h.revision, h.event_id, $6, h.changes
      from jsonb_to_recordset($7::jsonb) as h (object_id uuid, revision int, event_id uuid, changes jsonb)),
  noted as (
    insert into record_enrichments as e (organization_id, record_id, source, fields)
    select $1, s.record_id, s.source, array(select jsonb_array_elements_text(s.fields))
      from jsonb_to_recordset($8::jsonb) as s (record_id uuid, source text, fields jsonb)
    on conflict (organization_id, record_id, source)
    do update set fields = array(select distinct f from unnest(e.fields || excluded.fields) f order by f),
                  at = clock_timestamp())
  select id, created_at, updated_at
    from made`;
type Times = Pick<RecordRow, 'id' | 'created_at' | 'updated_at'>;

type ValueOf = IndexedValue & { record_id: string };

/** Writers of the same values meet them in the same order. */
const inOrder = (values: ValueOf[]): ValueOf[] => {
  const keyOf = ({ field_id, text, number, time }: ValueOf) => `${field_id} ${text ?? number ?? time}`;
  const unique = values.filter((one) => one.is_unique).map((one) => [keyOf(one), one] as const);
  unique.sort(([one], [other]) => (one < other ? -1 : 1));
  return [...unique.map(([, value]) => value), ...values.filter((one) => !one.is_unique)];
};

/** `isHeard`: an endpoint listens to what happens to records. */
export type Telling = { actor: string; isHeard: boolean };

/** Writes all that a batch has noted; the rows as they are then. A value that somebody took since the look: LocksOutdated. */
export async function store(
  tx: OwnTx,
  type: ObjectType,
  touched: Touched[],
  { actor, isHeard }: Telling,
): Promise<Map<string, RecordRow>> {
  if (touched.every(({ changes, sources }) => changes.length + sources.size === 0))
    return new Map(touched.map(({ row }) => [row.id, row]));
  const indexes = touched.map((one) => [one, indexChangesOf(type, one)] as const);
  const valuesOf = (pick: (changes: IndexChanges) => IndexedValue[]): ValueOf[] =>
    indexes.flatMap(([{ row }, changes]) => pick(changes).map((value) => ({ record_id: row.id, ...value })));
  const removed = valuesOf(({ removed: gone, replaced }) => [...gone, ...replaced.filter((one) => one.is_unique)]);
  if (removed.length > 0) await tx.sql(removeValues, [JSON.stringify(removed)]);
  const written = inOrder(valuesOf((changes) => changes.written));
  const rowsOf = (isNew: boolean) =>
    touched
      .filter((one) => one.isNew === isNew && one.changes.length > 0)
      .map(({ row: { id, revision }, columns: changed }) => ({ id, revision, ...changed }));
  const history = touched.flatMap(({ row: { id }, changes }) =>
    changes.map(({ revision, changes: told, event }) => {
      const data = { record_id: id, kind: type.kind, organization_id: tx.organizationId, changed: fieldsIn(told) };
      return { object_id: id, revision, event_id: tx.emit(event, data, { isHeard }), changes: told };
    }),
  );
  const noted = touched.flatMap(({ row: { id }, sources }) =>
    [...sources].map(([source, fields]) => ({ record_id: id, source, fields: [...fields].sort() })),
  );
  const lists = [rowsOf(true), rowsOf(false), written].map((list) => JSON.stringify(list));
  const params = [type.id, ...lists, actor, JSON.stringify(history), JSON.stringify(noted)];
  const made = await tx.sql<Times>(writeAll, params).catch((error: unknown) => {
    throw isTakenValue(error) ? new LocksOutdated() : error;
  });
  return rowsAfter(tx, touched, made);
}

const indexChangesOf = (type: ObjectType, { row, indexed }: Touched) =>
  indexChanges(type, indexed, row.deleted_at === null ? row.fields : undefined);

/** A new record is known but for its times; the others are read again. */
async function rowsAfter(tx: OwnTx, touched: Touched[], made: Times[]): Promise<Map<string, RecordRow>> {
  const times = new Map(made.map((one) => [one.id, one]));
  const isKnown = ({ isNew, sources }: Touched) => isNew && sources.size === 0;
  const known = touched.filter(isKnown).map(({ row }) => ({ ...row, ...times.get(row.id)! }));
  const isRead = (one: Touched) => !isKnown(one) && (one.changes.length > 0 || one.sources.size > 0);
  const ids = touched.filter(isRead).map(({ row }) => row.id);
  const read = ids.length === 0 ? [] : await recordsById(tx, ids);
  return new Map([...touched.map(({ row }) => row), ...known, ...read].map((row) => [row.id, row]));
}
