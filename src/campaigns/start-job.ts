import { now } from '../platform/database/columns.ts';
import { callOffWaitingNow, endDoneNow } from '../platform/ledger/end-subjects.ts';
import { ensureSharedPool } from '../platform/ledger/pools.ts';
import type { OwnTx, TenantTx } from '../platform/ledger/tx.ts';
import { nowDate } from '../platform/time/clock.ts';
import { Campaign } from './campaign.entity.ts';
import { type CampaignRow, getCampaign } from './campaign-row.ts';
import { campaignLane, feedCampaignJob, prepareCampaignJob, preparePool, preparePoolWidth, startCampaignJob } from './jobs.ts';
import type { Schedule } from './schedule/schedule.ts';
import { earliestStart } from './schedule/start.ts';

/** Without a lane, so that a change of the time ends the old job and writes the new one at once. */
export function enqueueStart(own: OwnTx, campaignId: string, startsAt: Date): string {
  return own.enqueue(
    startCampaignJob,
    { campaign_id: campaignId },
    { delayMs: Math.max(0, startsAt.getTime() - nowDate().getTime()) },
  );
}

export const endStart = (own: OwnTx, campaignId: string) => endDoneNow(own, startCampaignJob.name, [campaignId]);

/** Of a scheduled one whose schedule was changed: a start that is past means now, and is made by its job too. */
export async function reschedule(own: OwnTx, { id, schedule }: CampaignRow): Promise<CampaignRow> {
  const startsAt = new Date(Math.max(firstMoment(schedule as Schedule).getTime(), nowDate().getTime()));
  await endStart(own, id);
  const job_id = enqueueStart(own, id, startsAt);
  await own.update(Campaign, { id }, { start_at: startsAt.toISOString(), job_id, updated_at: now() });
  return getCampaign(own, id);
}

/** At which somebody may be due: now, where no start is given. */
export function firstMoment(schedule: Omit<Schedule, 'start_at'> & { start_at?: string }): Date {
  const { start_at } = schedule;
  return start_at === undefined ? nowDate() : earliestStart({ ...schedule, start_at });
}

/** Makes the audience. Needs the campaign's lock. */
export async function enqueuePrepare(tx: TenantTx, campaignId: string): Promise<string> {
  await ensureSharedPool(tx, preparePool, preparePoolWidth);
  return tx.own.enqueue(prepareCampaignJob, { campaign_id: campaignId }, { lane: campaignLane(campaignId), pool: preparePool });
}

/** In place of one that waits for a later moment. Needs the campaign's lock. */
export async function enqueueFeed(own: OwnTx, campaignId: string): Promise<string> {
  await endFeed(own, campaignId);
  return own.enqueue(feedCampaignJob, { campaign_id: campaignId }, { lane: campaignLane(campaignId) });
}

/** A run at work finds that its row is gone, and writes nothing more. */
export const endFeed = (own: OwnTx, campaignId: string) => endDoneNow(own, feedCampaignJob.name, [campaignId]);

/** It may wait long for the audiences of other organizations, and its lane with it. One at work ends by itself. */
export const endWaitingPrepare = (own: OwnTx, campaignId: string) =>
  callOffWaitingNow(own, prepareCampaignJob.name, [campaignId], { code: 'cancelled', message: 'The campaign was cancelled' });
