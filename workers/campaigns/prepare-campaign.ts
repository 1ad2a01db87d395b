import { findCampaign } from '../../src/campaigns/campaign-row.ts';
import { prepareCampaignJob } from '../../src/campaigns/jobs.ts';
import { endPrepare, failPrepare } from '../../src/campaigns/prepare/end.ts';
import { takeStep } from '../../src/campaigns/prepare/step.ts';
import { AppError } from '../../src/platform/errors.ts';
import { Superseded } from '../../src/platform/ledger/superseded.ts';
import { handle, type Outcome, type RunContext } from '../handler.ts';
import { leftToAnother, paused, turnOf } from '../turn.ts';

export const prepareCampaign = handle(prepareCampaignJob, async ({ campaign_id: id }, context) => {
  const mayGoOn = turnOf(context);
  try {
    for (;;) {
      const outcome = await takeStep(context, id, context.row);
      if (outcome === 'done') return context.finish(({ own }) => endPrepare(own, id));
      if (outcome === 'too_large') return context.finish(({ own }) => failPrepare(own, id, 'audience_too_large'));
      if (!(await mayGoOn())) return paused(context);
    }
  } catch (error) {
    // A segment that is gone, or a filter on a field that is: nobody can say who is meant.
    if (error instanceof AppError && error.code === 'invalid_request')
      return context.finish(({ own }) => failPrepare(own, id, 'audience_unknown'));
    if (!(error instanceof Superseded)) throw error;
    return endUnlessWanted(context, id);
  }
});

class StillWanted extends Error {}

/** Looked at under the campaign's lock, which is the job's lane: a resume counts on the job that it finds. */
async function endUnlessWanted(context: RunContext<unknown>, id: string): Promise<Outcome> {
  try {
    return await context.finish(async ({ own }) => {
      const campaign = await findCampaign(own, id);
      if (campaign?.status === 'running' && campaign.phase === 'preparing') throw new StillWanted();
    });
  } catch (error) {
    if (error instanceof StillWanted) return leftToAnother(context);
    throw error;
  }
}
