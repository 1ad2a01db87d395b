import { withdrawCampaignJob } from '../../src/campaigns/jobs.ts';
import { skipPending } from '../../src/campaigns/skip-pending.ts';
import { endWithdrawal, withdrawQueued } from '../../src/campaigns/withdraw/withdraw.ts';
import { handle } from '../handler.ts';
import { paused, turnOf } from '../turn.ts';

/** First what could still go out, then those who were not written to yet. */
export const withdrawCampaign = handle(withdrawCampaignJob, async ({ campaign_id: campaignId }, context) => {
  const { own, transact } = context;
  const mayGoOn = turnOf(context);
  while (await withdrawQueued(own, transact, campaignId)) if (!(await mayGoOn())) return paused(context);
  while (await skipPending({ transact, campaignId, reason: 'cancelled' })) if (!(await mayGoOn())) return paused(context);
  return context.finish(async (tx) => void (await endWithdrawal(tx.own, campaignId)));
});
