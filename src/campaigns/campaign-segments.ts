import type { OwnTx } from '../platform/ledger/tx.ts';
import { type Audience, CampaignSegment } from './campaign.entity.ts';

/** SQL: of those that are there: a copy may name one that is deleted. Held, so that none of them is deleted at the same time. */
const holdStatement = `
  insert into campaign_segments (organization_id, campaign_id, segment_id)
  select $1, $2, s.id
    from (
      select id
        from segments
       where organization_id = $1
         and id = any($3::uuid[])
         and deleted_at is null
       order by id
         for share) s`;

/** While a campaign that has not ended names a segment, the segment cannot be deleted. */
export async function holdSegments(own: OwnTx, campaignId: string, { segment_ids = [], exclude_segment_ids = [] }: Audience) {
  await freeSegments(own, campaignId);
  const ids = [...new Set([...segment_ids, ...exclude_segment_ids])];
  if (ids.length > 0) await own.sql(holdStatement, [campaignId, ids]);
}

export async function freeSegments(own: OwnTx, campaignId: string): Promise<void> {
  await own.delete(CampaignSegment, { campaign_id: campaignId });
}
