import type { Own } from '../platform/database/own.ts';
import { statement } from '../platform/database/statement.ts';
import type { TenantTransact } from '../platform/ledger/tenant.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';
import { MediaAsset } from './asset.entity.ts';
import { clearMediaJob } from './jobs.ts';
import type { Storage } from './storage/storage.ts';

/**
 * SQL: the change of a set and of what it took, by the rows that changed. Nobody finds the assets any more, and their room is free; their
 * files are removed by a job. A count that is wrong, as after a repair by hand, must not keep a person from being erased.
 */
const deleting = (which: string) => `
  with gone as (
    update media_assets
       set deleted_at = clock_timestamp(),
           message_id = null,
           contact_id = null,
           file_name = ''
     where organization_id = $1
       and deleted_at is null
       and ${which}
    returning size_bytes),
  freed as (
    update media_usage
       set bytes = greatest(0, bytes - (select sum(size_bytes) from gone)),
           assets = greatest(0, assets - (select count(*) from gone))
     where organization_id = $1
       and exists (select 1 from gone))
  select count(*)::int as deleted
    from gone`;
const deleteOne = deleting('id = $2');
const deleteOfContact = deleting('contact_id = $2');

const deletedBy = async (tx: OwnTx, text: string, id: string): Promise<boolean> => {
  const [row] = await tx.sql<{ deleted: number }>(text, [id]);
  if (row!.deleted === 0) return false;
  tx.enqueue(clearMediaJob, { organization_id: tx.organizationId });
  return true;
};

/** False: it was not there. */
export const deleteAsset = (tx: OwnTx, id: string) => deletedBy(tx, deleteOne, id);

/** What came in with the contact's messages. What the team uploaded is of nobody, and stays. */
export const deleteAssetsOfContact = (tx: OwnTx, contactId: string) => deletedBy(tx, deleteOfContact, contactId);

const batch = 100;

const deletedFiles = statement((select, { after }: { after: string }) =>
  select(MediaAsset)
    .select(['id', 'storage_key'])
    .where('deleted_at', 'is not', null)
    .where('id', '>', after)
    .orderBy('id')
    .limit(batch),
);

/** Removes the files of deleted assets, then their rows. A second run finds what the first one left. Throws StorageFailed. */
export async function clearDeleted(own: Own, transact: TenantTransact, storage: Storage): Promise<number> {
  let cleared = 0;
  for (let after = '00000000-0000-0000-0000-000000000000', isMore = true; isMore; ) {
    const rows = await deletedFiles(own, { after });
    for (const { storage_key } of rows) await storage.delete(storage_key);
    const ids = rows.map(({ id }) => id);
    if (ids.length > 0) cleared += await transact({}, (tx) => tx.own.delete(MediaAsset, { id: { $in: ids } }));
    isMore = rows.length === batch;
    after = ids.at(-1) ?? after;
  }
  return cleared;
}
