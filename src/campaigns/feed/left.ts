import type { Own } from '../../platform/database/own.ts';
import type { FeedState } from './state.ts';
import { wakeIn } from './zones.ts';

/** Who is left of a campaign. */
export type Left = { has_pending: boolean; has_queued: boolean };

/** SQL: two `exists`, each a look in an index, in one round trip. */
const leftStatement = `
  select exists (
           select 1
             from campaign_recipients r
            where r.organization_id = $1 and r.campaign_id = $2 and r.status = 'pending') as has_pending,
         exists (
           select 1
             from campaign_recipients r
            where r.organization_id = $1 and r.campaign_id = $2 and r.status = 'queued') as has_queued`;

export async function readLeft(own: Own, campaignId: string): Promise<Left> {
  const [left] = await own.sql<Left>(leftStatement, [campaignId]);
  return left!;
}

/** SQL: `lateral`: for each channel and zone a look in the index. */
const nextStatement = `
  select z.zone, (extract(epoch from min(d.due_at)) * 1000)::float8 as due_ms
    from campaign_channels cc
   cross join unnest($3::text[]) as z(zone),
         lateral (
           select r.due_at
             from campaign_recipients r
            where r.organization_id = $1
              and r.campaign_id = $2
              and r.channel_id = cc.channel_id
              and r.zone = z.zone
              and r.status = 'pending'
            order by r.due_at, r.id
            limit 1) d
   where cc.organization_id = $1
     and cc.campaign_id = $2
   group by z.zone`;

/** Until somebody is due in a zone that is open by then. Undefined: nobody is pending in the campaign's zones. */
export async function nextDueMs(own: Own, { campaign, schedule, now }: FeedState): Promise<number | undefined> {
  const rows = await own.sql<{ zone: string; due_ms: number }>(nextStatement, [campaign.id, campaign.zones]);
  if (rows.length === 0) return undefined;
  return Math.min(...rows.map(({ zone, due_ms }) => wakeIn(schedule, zone, due_ms, now))) - now.getTime();
}
