import { getOrganization } from '../organizations/organizations.ts';
import type { Own } from '../platform/database/own.ts';
import type { TenantTx } from '../platform/ledger/tx.ts';
import { nowDate } from '../platform/time/clock.ts';
import type { Fault } from '../templates/faults.ts';
import { findCampaign } from './campaign-row.ts';
import { moveCampaign } from './campaign-tx.ts';
import { laterFaults } from './checks/content.ts';
import { graceMinutesOf } from './guard-defaults.ts';
import { isLate } from './schedule/start.ts';
import { beginNow } from './start.ts';
import type { CampaignReason } from './states.ts';
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
 * The time of a scheduled campaign has come. What went away since then fails it; found too late it is paused, since whoever scheduled it for
 * the morning may not want it at night. Needs the campaign's lock. Idempotent.
 */
export async function beginCampaign(tx: TenantTx, id: string, jobId: string): Promise<void> {
  const { own } = tx;
  const campaign = await findCampaign(own, id);
  if (campaign?.status !== 'scheduled' || campaign.job_id !== jobId) return;
  const faults = await laterFaults(own, campaign);
  if (faults.length > 0) {
    await moveCampaign(own, id, 'begin', { to: 'failed', reason: reasonOf(faults), set: { job_id: null } });
    return;
  }
  const schedule = wholeSchedule(campaign, await getOrganization(own));
  if (isLate(schedule, nowDate(), graceMinutesOf(campaign) * 60_000))
    await moveCampaign(own, id, 'begin', { to: 'paused', reason: 'late', set: { job_id: null } });
  else await beginNow(tx, id, 'begin');
}

function reasonOf(faults: Fault[]): CampaignReason {
  const isAbout = (field: string) => faults.some(({ path }) => String(path[0]).startsWith(field));
  if (isAbout('channel_ids')) return 'channel_stopped';
  return isAbout('variants') ? 'template_unknown' : 'audience_empty';
}
