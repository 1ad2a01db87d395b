import { getOrganization } from '../organizations/organizations.ts';
import { AppError } from '../platform/errors.ts';
import type { TenantTx } from '../platform/ledger/tx.ts';
import { nowDate } from '../platform/time/clock.ts';
import type { Schedule } from './campaign.entity.ts';
import { type CampaignRow, getCampaign } from './campaign-row.ts';
import { assertAllowed, moveCampaign } from './campaign-tx.ts';
import { scheduleFaults, wholeFaults } from './checks/content.ts';
import { throwContentFaults } from './content/faults.ts';
import { assertRoom } from './limit.ts';
import { enqueuePrepare, enqueueStart, firstMoment } from './start-job.ts';
import { filledSchedule, isSameSchedule } from './whole-schedule.ts';

/**
 * Now, or at its time. Asked again with the same schedule it stays as it is. Needs `campaignLane` and `campaignsLock`. Throws 404, 409 for
 * another state and for another schedule, 422 for all that is missing or wrong, and at the limit.
 */
export async function startCampaign(tx: TenantTx, id: string, actor: string, given?: Schedule): Promise<CampaignRow> {
  const { own } = tx;
  const before = await getCampaign(own, id);
  assertAllowed('start', before);
  const settings = await getOrganization(own);
  if (before.status !== 'draft') {
    if (given && !isSameSchedule(given, before.schedule, settings)) throw otherSchedule(before);
    return before;
  }
  const asked = { ...before, schedule: given ?? before.schedule };
  throwContentFaults([...(await wholeFaults(own, asked)), ...(await scheduleFaults(own, asked))]);
  await assertRoom(own);
  const schedule = filledSchedule(asked.schedule, settings);
  const startsAt = firstMoment(schedule);
  const isAhead = startsAt > nowDate();
  const set = { schedule, start_at: startsAt.toISOString(), started_by: actor };
  if (!isAhead) return beginNow(tx, id, 'start', set);
  return moveCampaign(own, id, 'start', { to: 'scheduled', set: { ...set, job_id: enqueueStart(own, id, startsAt) } });
}

type Set = Parameters<typeof moveCampaign>[3]['set'];

/** Into its first phase. Needs the campaign's lock. */
export async function beginNow(tx: TenantTx, id: string, action: 'start' | 'begin', set: Set = {}): Promise<CampaignRow> {
  const job_id = await enqueuePrepare(tx, id);
  return moveCampaign(tx.own, id, action, { to: 'running', set: { ...set, phase: 'preparing', job_id } });
}

function otherSchedule({ status }: CampaignRow): AppError {
  const message = `The campaign is ${status}, with another schedule: change it, or pause it first`;
  return new AppError('conflict', message, {
    details: [{ field: 'schedule', location: 'body', code: 'campaign.schedule', message, value: status }],
  });
}
