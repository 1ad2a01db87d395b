import { campaignLane, retryFailedJob } from '../../src/campaigns/jobs.ts';
import { retryBatch } from '../../src/campaigns/retry-failed.ts';
import { handle } from '../handler.ts';
import { paused, turnOf } from '../turn.ts';

export const retryFailed = handle(retryFailedJob, async (payload, context) => {
  const mayGoOn = turnOf(context);
  const locks = [campaignLane(payload.campaign_id)];
  while (await context.transact({ locks }, ({ own }) => retryBatch(own, payload))) if (!(await mayGoOn())) return paused(context);
  return context.finish();
});
