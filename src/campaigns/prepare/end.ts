import type { OwnTx } from '../../platform/ledger/tx.ts';
import { findCampaign } from '../campaign-row.ts';
import { failCampaign } from '../fail.ts';
import { campaignLane, feedCampaignJob } from '../jobs.ts';
import { hasRecipients } from '../recipients/anybody.ts';
import type { CampaignReason } from '../states.ts';

/** SQL: one row, by the database's clock. */
const beginToSend = `
  update campaigns
     set phase = 'sending', job_id = $3, updated_at = clock_timestamp()
   where organization_id = $1
     and id = $2
     and status = 'running'
     and phase = 'preparing'`;

/** The audience is whole: from here on it is fed. Needs the campaign's lock. */
export async function endPrepare(own: OwnTx, id: string): Promise<void> {
  own.assertLocked(campaignLane(id));
  if (!(await hasRecipients(own, id))) return failPrepare(own, id, 'audience_empty');
  // Paused meanwhile: whoever resumes it asks for the feed.
  const campaign = await findCampaign(own, id);
  if (campaign?.status !== 'running' || campaign.phase !== 'preparing') return;
  const jobId = own.enqueue(feedCampaignJob, { campaign_id: id }, { lane: campaignLane(id) });
  await own.sql(beginToSend, [id, jobId]);
}

export async function failPrepare(own: OwnTx, id: string, reason: CampaignReason): Promise<void> {
  const campaign = await findCampaign(own, id);
  if (campaign?.status === 'running') await failCampaign(own, id, 'fail', reason);
}
