import { beginCampaign, startsInMs } from '../../src/campaigns/begin.ts';
import { campaignLane, startCampaignJob } from '../../src/campaigns/jobs.ts';
import { handle } from '../handler.ts';

export const startCampaign = handle(startCampaignJob, async ({ campaign_id }, context) => {
  const leftMs = await startsInMs(context.own, campaign_id, context.row.id);
  if (leftMs !== undefined && leftMs > 0)
    return context.wait(Math.ceil(leftMs), { reason: 'the clock of the process that set the time was ahead' });
  const looked = { look: async () => undefined, locks: () => [campaignLane(campaign_id)] };
  // Whoever changed the schedule or the status meanwhile has ended this job: the write is then undone.
  return context.finishLooked(looked, (tx) => beginCampaign(tx, campaign_id, context.row.id));
});
