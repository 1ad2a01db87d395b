import { cappedCodes } from '../messaging/campaign-recipients.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';
import { nowDate } from '../platform/time/clock.ts';
import { type CampaignRow, findCampaign, getCampaign } from './campaign-row.ts';
import { assertAllowed, moveCampaign } from './campaign-tx.ts';
import { overFaults, sendingFaults } from './checks/content.ts';
import { throwContentFaults } from './content/faults.ts';
import { campaignLane, type RetryPayload, retryFailedJob } from './jobs.ts';
import { assertRoom } from './limit.ts';
import { enqueueFeed } from './start-job.ts';
import { isAllowed } from './states.ts';

/** The operation's id too. Needs `campaignLane` and `campaignsLock`. Throws 404, 409, 422. */
export async function askForRetry(
  own: OwnTx,
  id: string,
  force: boolean,
): Promise<{ campaign: CampaignRow; operationId: string }> {
  own.assertLocked(campaignLane(id));
  const campaign = await getCampaign(own, id);
  assertAllowed('retry-failed', campaign);
  throwContentFaults([...(await sendingFaults(own, campaign)), ...(await overFaults(own, campaign))]);
  if (campaign.status === 'completed') await assertRoom(own);
  const payload: RetryPayload = { campaign_id: id, before: nowDate().toISOString(), force: String(force) };
  return { campaign, operationId: own.enqueue(retryFailedJob, payload) };
}

/** Recipients of one transaction. */
export const batchSize = 5_000;

/** SQL: a set, in the order of an index. Whom the provider wants left alone for a day is due after it. The message that failed is not the recipient's any more: what is told of it later is ignored. */
const batchStatement = `
  update campaign_recipients r
     set status = 'pending', reason = '', failure_code = '', message_id = null,
         queued_at = null, sent_at = null, delivered_at = null, read_at = null, failed_at = null, result_at = null,
         due_at = case when r.failure_code = any($6::text[]) then greatest(clock_timestamp(), r.failed_at + interval '24 hours') else clock_timestamp() end
   where r.organization_id = $1
     and r.id = any(array(
           select f.id
             from campaign_recipients f
            where f.organization_id = $1
              and f.campaign_id = $2
              and f.status = 'failed'
              and f.contact_id is not null
              and coalesce(f.failed_at, '-infinity') <= $3::timestamptz
              and ($4 or f.failure_code <> 'outcome_unknown')
            order by f.id
            limit $5
              for update))
     and r.status = 'failed'
  returning r.id`;

/** A completed campaign runs again with the first of them. Needs the campaign's lock. False: there are no more. */
export async function retryBatch(own: OwnTx, { campaign_id: id, before, force }: RetryPayload): Promise<boolean> {
  own.assertLocked(campaignLane(id));
  const campaign = await findCampaign(own, id);
  if (!campaign || !isAllowed('retry-failed', campaign.status)) return false;
  const moved = await own.sql(batchStatement, [id, before, force === 'true', batchSize, cappedCodes]);
  if (moved.length === 0) return false;
  if (campaign.status === 'paused') return moved.length === batchSize;
  const job_id = await enqueueFeed(own, id);
  if (campaign.status === 'completed')
    await moveCampaign(own, id, 'retry-failed', { to: 'running', set: { phase: 'sending', job_id, alarm: null } });
  return moved.length === batchSize;
}
