import type { Own } from '../platform/database/own.ts';
import type { RowOf } from '../platform/database/tables.ts';
import { notFound } from '../platform/errors.ts';
import { subjectLock } from '../platform/ledger/locks.ts';
import type { CrmRecord, RecordEnrichment } from './record.entity.ts';

export type Enrichment = RowOf<typeof RecordEnrichment, 'source' | 'fields' | 'at'>;
type Column =
  | ('id' | 'display_name' | 'fields' | 'custom_fields' | 'metadata')
  | ('revision' | 'deleted_at' | 'created_at' | 'updated_at');
export type RecordRow = RowOf<typeof CrmRecord, Column> & { enrichments: Enrichment[] | null };

export const recordLock = (id: string) => subjectLock('record', id);

/** The fields of the wire, from a table or CTE called `k`. */
export const recordColumns = `
  k.id, k.display_name, k.fields, k.custom_fields, k.metadata, k.revision, k.deleted_at, k.created_at, k.updated_at,
  (select json_agg(json_build_object('source', e.source, 'fields', e.fields, 'at', e.at) order by e.at desc, e.source)
     from record_enrichments e
    where e.organization_id = k.organization_id and e.record_id = k.id) as enrichments`;

/** SQL: what sources gave is a list made of a second table. */
const byId = (bin: string, lock = '') => `
  select ${recordColumns}
    from records k
   where k.organization_id = $1
     and k.type_id = $2
     and k.id = $3
     and k.deleted_at is ${bin}${lock}`;
/** A merge of contacts changes the records that they are linked to, and has their rows alone. */
const held = ' for no key update of k';
const liveHeld = byId('null', held);
const inBinHeld = byId('not null', held);
const live = byId('null');
const inBin = byId('not null');

/** SQL: sets. */
const setHeld = `
  select ${recordColumns}
    from records k
   where k.organization_id = $1
     and k.type_id = $2
     and k.id = any($3::uuid[])
     and k.deleted_at is null
   order by k.id${held}`;
const setOf = `
  select ${recordColumns}
    from records k
   where k.organization_id = $1
     and k.id = any($2::uuid[])`;

/** For changes of several, as `holdRecord`; without those that are not there. */
export const holdRecords = (own: Own, typeId: string, ids: string[]): Promise<RecordRow[]> =>
  own.sql<RecordRow>(setHeld, [typeId, ids]);

/** Those in the bin too. */
export const recordsById = (own: Own, ids: string[]): Promise<RecordRow[]> => own.sql<RecordRow>(setOf, [ids]);

export type RecordKey = { typeId: string; id: string };

export async function findRecord(own: Own, { typeId, id }: RecordKey): Promise<RecordRow | undefined> {
  const [row] = await own.sql<RecordRow>(live, [typeId, id]);
  return row;
}

export async function findInBin(own: Own, { typeId, id }: RecordKey): Promise<RecordRow | undefined> {
  const [row] = await own.sql<RecordRow>(inBin, [typeId, id]);
  return row;
}

/** For a change. Throws 404. */
export async function holdRecord(own: Own, { typeId, id }: RecordKey, isInBin: boolean): Promise<RecordRow> {
  const [row] = await own.sql<RecordRow>(isInBin ? inBinHeld : liveHeld, [typeId, id]);
  if (!row) throw notFound('Record');
  return row;
}

/** Throws 404, for one in the bin too. */
export async function getRecord(own: Own, key: RecordKey): Promise<RecordRow> {
  const row = await findRecord(own, key);
  if (!row) throw notFound('Record');
  return row;
}
