import { getOrganization, type OrganizationRow } from '../../organizations/organizations.ts';
import type { Own } from '../../platform/database/own.ts';
import { type CampaignRow, findCampaign } from '../campaign-row.ts';
import type { Schedule } from '../schedule/schedule.ts';
import { wholeSchedule } from '../whole-schedule.ts';

export type FeedState = { campaign: CampaignRow; settings: OrganizationRow; schedule: Schedule; now: Date };

/** What a run of the feed begins from; undefined: there is nothing to feed. Times are the database's. */
export async function readState(own: Own, id: string): Promise<FeedState | undefined> {
  const campaign = await findCampaign(own, id);
  if (campaign?.status !== 'running' || campaign.phase === 'preparing') return undefined;
  const settings = await getOrganization(own);
  // SQL: the database's clock alone, in ms.
  const [clock] = await own.sql<{ now_ms: number }>(
    `select (extract(epoch from clock_timestamp()) * 1000)::float8 as now_ms
       from organizations
      where id = $1`,
  );
  return { campaign, settings, schedule: wholeSchedule(campaign, settings), now: new Date(Math.floor(clock!.now_ms)) };
}
