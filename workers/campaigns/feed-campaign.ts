import { createContentCache } from '../../src/campaigns/content/cache.ts';
import { completeCampaign, pauseByItself, SomebodyWaits, showPhase } from '../../src/campaigns/feed/end.ts';
import { feedCampaign as feed } from '../../src/campaigns/feed/feed.ts';
import { feedCampaignJob } from '../../src/campaigns/jobs.ts';
import { handle } from '../handler.ts';

const contents = createContentCache();

/** The lane of the job is the campaign's lock: whatever ends a run happens under it. */
export const feedCampaign = handle(feedCampaignJob, async ({ campaign_id: id }, context) => {
  const { own, transact, row: job } = context;
  const next = await feed({ own, transact, job, contents }, id);
  switch (next.kind) {
    case 'over':
      return context.finish();
    case 'pause':
      return context.finish((tx) => pauseByItself(tx.own, id, next.reason));
    case 'complete':
      try {
        return await context.finish((tx) => completeCampaign(tx.own, id));
      } catch (error) {
        if (error instanceof SomebodyWaits) return context.wait(0);
        throw error;
      }
    case 'wait':
      return context.wait(next.ms, { work: async (tx) => void (await showPhase(tx.own, id, next.phase)) });
  }
});
