import type { Em } from '../database/database.ts';
import { query } from '../database/query.ts';
import { countsOfRecipients, figuresOfRecipients } from './campaign-figures.ts';
import { type After, type Batch, limitOfAge } from './purge.ts';

/** SQL: of all organizations, one campaign at a time. */
const oldestEnded = `
  select organization_id, id, frozen_at is not null as is_frozen
    from campaigns
   where ended_at is not null
     and purged_at is null
     and ended_at < ${limitOfAge}
   order by ended_at
   limit 1`;
const freeze = `
  update campaigns
     set counts = (${countsOfRecipients}),
         figures = (${figuresOfRecipients}),
         counted_at = clock_timestamp(),
         figured_at = clock_timestamp(),
         frozen_at = clock_timestamp()
   where organization_id = $1
     and id = $2
     and frozen_at is null`;
const markPurged = `
  update campaigns
     set purged_at = clock_timestamp()
   where organization_id = $1
     and id = $2`;

const oldestDeleted = `
  select organization_id, id
    from campaigns
   where deleted_at is not null
     and deleted_at < ${limitOfAge}
     and not withdrawing
   order by deleted_at
   limit 1`;
const deleteCampaign = `
  delete from campaigns
   where organization_id = $1
     and id = $2`;

const deleteRecipients = `
  with deleted as (
    delete from campaign_recipients
     where organization_id = $1
       and id = any(array(
         select id
           from campaign_recipients
          where organization_id = $1
            and campaign_id = $2
          order by id
          limit $3))
    returning 1)
  select count(*)::int as count
    from deleted`;

async function deleteSome(em: Em, { organization_id, id }: After, limit: number): Promise<number> {
  const [row] = await query<{ count: number }>(em, deleteRecipients, [organization_id, id, limit]);
  return row!.count;
}

/** What was counted is written before the first of them goes. */
export async function endedRecipientsBatch(em: Em, days: number, limit: number): Promise<Batch> {
  const [campaign] = await query<After & { is_frozen: boolean }>(em, oldestEnded, [days]);
  if (!campaign) return { deleted: {}, isLast: true };
  const key = [campaign.organization_id, campaign.id];
  if (!campaign.is_frozen) await query(em, freeze, key);
  const count = await deleteSome(em, campaign, limit);
  if (count < limit) await query(em, markPurged, key);
  return { deleted: { campaign_recipients: count }, isLast: false };
}

/** A deleted campaign, with its recipients before. */
export async function deletedCampaignsBatch(em: Em, days: number, limit: number): Promise<Batch> {
  const [campaign] = await query<After>(em, oldestDeleted, [days]);
  if (!campaign) return { deleted: {}, isLast: true };
  const count = await deleteSome(em, campaign, limit);
  if (count === limit) return { deleted: { campaign_recipients: count }, isLast: false };
  await query(em, deleteCampaign, [campaign.organization_id, campaign.id]);
  return { deleted: { campaign_recipients: count, campaigns: 1 }, isLast: false };
}
