import type { OwnTx } from '../platform/ledger/tx.ts';
import { moveCampaign } from './campaign-tx.ts';
import { campaignLane, withdrawCampaignJob } from './jobs.ts';
import type { CampaignReason } from './states.ts';

/** For good: whoever was added by hand or from a file is not written to, and their rows say so. Needs the campaign's lock. */
export async function failCampaign(own: OwnTx, id: string, action: 'begin' | 'fail', reason: CampaignReason): Promise<void> {
  const job_id = own.enqueue(withdrawCampaignJob, { campaign_id: id }, { lane: campaignLane(id) });
  await moveCampaign(own, id, action, { to: 'failed', reason, set: { withdrawing: true, job_id } });
}
