import { sql } from 'kysely';
import type { Runs, Select } from '../platform/database/own.ts';
import { statement } from '../platform/database/statement.ts';
import type { RowOf } from '../platform/database/tables.ts';
import { notFound } from '../platform/errors.ts';
import { subjectLock } from '../platform/ledger/locks.ts';
import { pageWithinBytes } from '../platform/listing/page-bytes.ts';
import { list, type Page, type PageRows } from '../platform/listing/paging.ts';
import { Campaign } from './campaign.entity.ts';
import type { CampaignStatus } from './states.ts';

const columns = [
  ...(['id', 'name', 'status', 'phase', 'reason', 'purpose', 'variants', 'audience', 'schedule', 'pace', 'guards'] as const),
  ...(['revision', 'alarm', 'prepared', 'zones', 'counts', 'counted_at', 'job_id', 'withdrawing'] as const),
  ...(['created_by', 'started_by', 'start_at', 'started_at', 'paused_at', 'resumed_at', 'ended_at'] as const),
  ...(['created_at', 'updated_at'] as const),
] as const;

/** `channel_ids` in the order in which they were given. */
export type CampaignRow = RowOf<typeof Campaign, (typeof columns)[number]> & { channel_ids: string[] };

/** Held by whoever makes one more campaign that has begun and not ended: the limit is exact. */
export const campaignsLock = (organizationId: string) => subjectLock('campaigns', organizationId);

const channelIds = sql<string[]>`array(
  select c.channel_id
    from campaign_channels c
   where c.organization_id = campaigns.organization_id and c.campaign_id = campaigns.id
   order by c.position)`;

const kept = (select: Select) =>
  select(Campaign).select(columns).select(channelIds.as('channel_ids')).where('deleted_at', 'is', null);
const byId = statement((select, { id }: { id: string }) => kept(select).where('id', '=', id));

export async function findCampaign(own: Runs, id: string): Promise<CampaignRow | undefined> {
  const [row] = await byId(own, { id });
  return row;
}

/** Throws 404, for a deleted one too. */
export async function getCampaign(own: Runs, id: string): Promise<CampaignRow> {
  const row = await findCampaign(own, id);
  if (!row) throw notFound('Campaign');
  return row;
}

const sized = (select: Select) =>
  select(Campaign).select(['id', 'created_at', 'content_bytes as bytes']).where('deleted_at', 'is', null);
const all = list(sized);
const ofStatus = list((select, { status }: { status: CampaignStatus }) => sized(select).where('status', '=', status));
const ofIds = statement((select, { ids }: { ids: string[] }) =>
  kept(select).where('id', '=', sql<string>`any(${ids}::uuid[])`).orderBy('created_at', 'desc').orderBy('id', 'desc'),
);

/** A draft may have a megabyte: the page ends within bounds. */
export async function listCampaigns(
  own: Runs,
  { status }: { status?: CampaignStatus },
  page: Page,
): Promise<PageRows<CampaignRow>> {
  const found = status ? await ofStatus(own, { status }, page) : await all(own, {}, page);
  return pageWithinBytes(own, found, page.limit, (ids) => ofIds(own, { ids }));
}
