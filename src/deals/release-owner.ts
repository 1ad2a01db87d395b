import type { Own } from '../platform/database/own.ts';
import type { RowOf } from '../platform/database/tables.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';
import type { Deal } from './deal.entity.ts';
import { changeDeal } from './deal-tx.ts';
import { maxAtOnce } from './pipelines/move-out.ts';

/** SQL: by the index of owners. */
const ownedBy = `
  select id
    from deals
   where organization_id = $1 and owner_user_id = $2 and deleted_at is null
   order by created_at, id
   limit ${maxAtOnce + 1}`;

/** Live deals of an owner who leaves; none where there are more than one transaction changes one by one. */
export async function dealsToRelease(own: Own, userId: string): Promise<string[]> {
  const found = await own.sql<RowOf<typeof Deal, 'id'>>(ownedBy, [userId]);
  return found.length > maxAtOnce ? [] : found.map(({ id }) => id);
}

/** SQL: a set, and without the locks of the deals, as a merge of contacts changes them. */
const releaseOthers = `
  with raised as (
    update deals k
       set owner_user_id = null, revision = k.revision + 1, updated_at = clock_timestamp()
     where k.organization_id = $1
       and k.owner_user_id = $2
    returning k.id, k.revision)
  insert into crm_history (organization_id, object_kind, object_id, revision, actor, changes)
  select $1, 'deal', r.id, r.revision, $3, jsonb_build_object('owner_user_id', jsonb_build_object('from', $2::uuid, 'to', null))
    from raised r`;

/**
 * An owner who leaves owns nothing: up to `maxAtOnce` deals change one by one, with their events. Of more, and of those in the bin, each
 * gets its revision and its row of history alone. Needs the locks of `dealsToRelease` and the membership. Its write repeats on `revisionTaken`.
 */
export async function releaseDeals(tx: OwnTx, userId: string, actor: string): Promise<void> {
  for (const id of await dealsToRelease(tx, userId))
    await changeDeal(tx, { id, actor }, (deal) => deal.set({ owner_user_id: null }));
  await tx.sql(releaseOthers, [userId, actor]);
}
