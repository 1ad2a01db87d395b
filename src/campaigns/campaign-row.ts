import { sql } from 'kysely';
import type { Own, Runs, Select } from '../platform/database/own.ts';
import { statement } from '../platform/database/statement.ts';
import type { RowOf } from '../platform/database/tables.ts';
import { notFound } from '../platform/errors.ts';
import { subjectLock } from '../platform/ledger/locks.ts';
import { list, type Page } from '../platform/listing/paging.ts';
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

const all = list(kept);
const ofStatus = list((select, { status }: { status: CampaignStatus }) => kept(select).where('status', '=', status));

export const listCampaigns = (own: Own, { status }: { status?: CampaignStatus }, page: Page) =>
  status ? ofStatus(own, { status }, page) : all(own, {}, page);
