import { getOrganization } from '../organizations/organizations.ts';
import type { Own } from '../platform/database/own.ts';
import type { TenantTx } from '../platform/ledger/tx.ts';
import { nowDate } from '../platform/time/clock.ts';
import { momentMs } from '../platform/time/moment.ts';
import { type CampaignRow, findCampaign } from './campaign-row.ts';
import { moveCampaign } from './campaign-tx.ts';
import { obstacleOf } from './checks/at-its-time.ts';
import { failCampaign } from './fail.ts';
import { graceMinutesOf } from './guard-defaults.ts';
import type { Schedule } from './schedule/schedule.ts';
import { isLate, latestEnd } from './schedule/start.ts';
import { beginNow } from './start.ts';
import { wholeSchedule } from './whole-schedule.ts';

/** SQL: by the database's clock. */
const leftStatement = `
  select extract(epoch from start_at - clock_timestamp())::float8 * 1000 as left_ms
    from campaigns
   where organization_id = $1
     and id = $2
     and status = 'scheduled'
     and job_id = $3`;

/** Below 0: its time has come. Undefined: it is another job's turn, or nobody's. */
export async function startsInMs(own: Own, id: string, jobId: string): Promise<number | undefined> {
  const [row] = await own.sql<{ left_ms: number }>(leftStatement, [id, jobId]);
  return row?.left_ms;
}

/**
 * The time of a scheduled campaign has come. What went away since then fails it, what may come back pauses it; found too late it is paused,
 * since whoever scheduled it for the morning may not want it at night. Needs the campaign's lock. Idempotent.
 */
export async function beginCampaign(tx: TenantTx, id: string, jobId: string): Promise<void> {
  const { own } = tx;
  const campaign = await findCampaign(own, id);
  if (campaign?.status !== 'scheduled' || campaign.job_id !== jobId) return;
  const obstacle = await obstacleOf(own, campaign);
  if (obstacle?.to === 'failed') return failCampaign(own, id, 'begin', obstacle.reason);
  if (obstacle) {
    await moveCampaign(own, id, 'begin', { ...obstacle, set: { job_id: null } });
    return;
  }
  if (asksFirst(campaign, wholeSchedule(campaign, await getOrganization(own)), nowDate()))
    await moveCampaign(own, id, 'begin', { to: 'paused', reason: 'late', set: { job_id: null } });
  else await beginNow(tx, id, 'begin');
}

/** Too late to begin unasked; not where the start was past when it was set, which meant at once. Past the end nobody would be written to. */
function asksFirst(campaign: CampaignRow, schedule: Schedule, now: Date): boolean {
  const graceMs = graceMinutesOf(campaign) * 60_000;
  const sinceSetMs = now.getTime() - momentMs(campaign.start_at!);
  const end = latestEnd(schedule);
  return (sinceSetMs > graceMs && isLate(schedule, now, graceMs)) || (end !== undefined && end <= now);
}
