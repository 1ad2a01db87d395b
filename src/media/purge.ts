import type { Em } from '../platform/database/database.ts';
import { query } from '../platform/database/query.ts';
import type { RowOf } from '../platform/database/tables.ts';
import { type After, type Batch, limitOfAge, type Purge } from '../platform/retention/purge.ts';
import { now } from '../platform/time/clock.ts';
import type { MediaAsset } from './asset.entity.ts';
import { partsOf, storageKeyOf } from './asset-id.ts';
import type { Storage } from './storage/storage.ts';

const dayMs = 24 * 3600 * 1000;
const first = { organization_id: '00000000-0000-0000-0000-000000000000', id: '00000000-0000-0000-0000-000000000000' };
const last = { organization_id: 'ffffffff-ffff-ffff-ffff-ffffffffffff', id: 'ffffffff-ffff-ffff-ffff-ffffffffffff' };
/** A storage answers one call for each file. */
const maxFiles = 200;
/** A folder that is not mounted looks like files that are gone: time to see the figure and mount it. */
const missingDays = 7;

/** What uploads and deletions leave behind when a process dies, and rows whose file is gone. It lists the whole storage. */
export const mediaPurge = (storage: Storage): Purge => ({
  table: 'media_assets',
  tables: ['media_assets', 'media_files'],
  everyHours: 12,
  steps: [
    { days: () => 1, batch: (_em, days) => unfinishedBatch(storage, days) },
    { days: () => 1, batch: (em, days, limit) => deletedBatch(storage, em, days, limit) },
    { days: () => 1, batch: (em, days, limit, after) => comparedBatch(storage, em, days, limit, after) },
    { days: () => missingDays, batch: missingBatch },
  ],
});

async function unfinishedBatch(storage: Storage, days: number): Promise<Batch> {
  const removed = await storage.removeUnfinished(new Date(now() - days * dayMs));
  return { deleted: { media_files: removed }, isLast: true };
}

/** SQL: of all organizations. Their job has failed for good. */
const deletedRows = `
  select organization_id, id, storage_key
    from media_assets
   where deleted_at < ${limitOfAge}
   order by organization_id, id
   limit $2`;
const deleteRows = `
  delete from media_assets a
   using unnest($1::uuid[], $2::uuid[]) as d(organization_id, id)
   where a.organization_id = d.organization_id
     and a.id = d.id
     and a.deleted_at is not null`;

async function deletedBatch(storage: Storage, em: Em, days: number, limit: number): Promise<Batch> {
  const size = Math.min(limit, maxFiles);
  const rows = await query<RowOf<typeof MediaAsset, 'organization_id' | 'id' | 'storage_key'>>(em, deletedRows, [days, size]);
  for (const { storage_key } of rows) await storage.delete(storage_key);
  await query(em, deleteRows, columnsOf(rows));
  return { deleted: { media_assets: rows.length }, isLast: rows.length < size };
}

/**
 * SQL: a part of the storage's list ($2, $3) and the rows of the same keys, those behind $4, $5 to $6, $7. A row that has its file again is
 * missing no more; an older one that has none is from now on. Gives back the files that no row names.
 */
const compare = `
  with listed as materialized (
    select organization_id, id
      from unnest($2::uuid[], $3::uuid[]) as l(organization_id, id)),
  found as (
    update media_assets a
       set missing_since = null
      from listed l
     where a.organization_id = l.organization_id
       and a.id = l.id
       and a.missing_since is not null),
  lost as (
    update media_assets a
       set missing_since = clock_timestamp()
     where (a.organization_id, a.id) > ($4::uuid, $5::uuid)
       and (a.organization_id, a.id) <= ($6::uuid, $7::uuid)
       and a.created_at < ${limitOfAge}
       and a.deleted_at is null
       and a.missing_since is null
       and not exists (select 1 from listed l where l.organization_id = a.organization_id and l.id = a.id))
  select l.organization_id, l.id
    from listed l
   where not exists (select 1 from media_assets a where a.organization_id = l.organization_id and a.id = l.id)`;

async function comparedBatch(storage: Storage, em: Em, days: number, limit: number, after?: After): Promise<Batch> {
  const from = after && storageKeyOf(after.organization_id, after.id);
  const listed = await storage.list({ after: from, limit });
  const isLast = listed.length < limit;
  // Nothing at all: rather another folder, or one that is not mounted, than all files lost.
  if (listed.length === 0 && after === undefined) return { deleted: {}, isLast };
  const files = listed.flatMap(({ key, modifiedAt }) => {
    const parts = partsOf(key);
    return parts ? [{ organization_id: parts.organizationId, id: parts.id, key, modifiedAt }] : [];
  });
  const end = isLast ? last : (files.at(-1) ?? after ?? first);
  const begin = after ?? first;
  const range = [begin.organization_id, begin.id, end.organization_id, end.id];
  const unnamed = await query<After>(em, compare, [days, ...columnsOf(files), ...range]);
  const keys = new Set(unnamed.map(({ organization_id, id }) => storageKeyOf(organization_id, id)));
  // A younger one may belong to an upload whose row is being written.
  const orphans = files.filter(({ key, modifiedAt }) => keys.has(key) && modifiedAt.getTime() < now() - days * dayMs);
  for (const { key } of orphans) await storage.delete(key);
  return { deleted: { media_files: orphans.length }, isLast, last: { organization_id: end.organization_id, id: end.id } };
}

/** SQL: a set that skips locked rows until next time, with what it took of the usage. */
const deleteMissing = `
  with gone as (
    delete from media_assets
     where ctid = any(array(
       select ctid
         from media_assets
        where missing_since < ${limitOfAge}
          and deleted_at is null
        order by missing_since
        limit $2
          for update skip locked))
    returning organization_id, size_bytes),
  freed as (
    update media_usage u
       set bytes = u.bytes - g.bytes,
           assets = u.assets - g.assets
      from (select organization_id, sum(size_bytes) as bytes, count(*) as assets
              from gone
             group by 1) g
     where u.organization_id = g.organization_id)
  select count(*)::int as deleted
    from gone`;

async function missingBatch(em: Em, days: number, limit: number): Promise<Batch> {
  const [row] = await query<{ deleted: number }>(em, deleteMissing, [days, limit]);
  return { deleted: { media_assets: row!.deleted }, isLast: row!.deleted < limit };
}

const columnsOf = (rows: After[]) => [rows.map(({ organization_id }) => organization_id), rows.map(({ id }) => id)];
