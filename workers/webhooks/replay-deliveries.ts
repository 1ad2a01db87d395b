import { Superseded } from '../../src/platform/ledger/superseded.ts';
import { cancelWebhooksJob, endReplay, recoverWebhooksJob, replayWebhooksJob } from '../../src/webhooks/replay/jobs.ts';
import { takeStep, usualStep } from '../../src/webhooks/replay/run.ts';
import { handle, type Outcome, type RunContext } from '../handler.ts';
import { leftToAnother, paused, turnOf } from '../turn.ts';

/** A busy endpoint is looked at again so soon, and after so many looks its replay makes room for another. */
const [lookMs, maxLooks] = [100, 10];
const laterMs = 1_000;
/** What a step makes is tried at once: smaller steps at the same pace keep what is live from waiting behind it. */
const stepSeconds = 0.05;
/** After this time the next replay has its turn: it shall begin soon. */
const turnMs = 10_000;

async function run({ replay_id: id }: { replay_id: string }, context: RunContext<unknown>): Promise<Outcome> {
  const { own, transact, row, config, isStopping } = context;
  const perSecond = config.webhookReplaysPerSecond;
  const isPaced = row.name !== cancelWebhooksJob.name;
  const size = isPaced ? Math.min(usualStep, Math.max(1, Math.round(perSecond * stepSeconds))) : usualStep;
  const mayGoOn = turnOf(context, turnMs);
  let looks = 0;
  try {
    for (;;) {
      const startedAt = performance.now();
      const step = await takeStep(own, transact, id, row, size);
      if (step.kind === 'over') return context.finish((tx) => endReplay(tx, { replay_id: id }));
      if (step.kind === 'deleted') return context.fail({ code: 'not_found', message: 'The webhook endpoint was deleted' });
      if (step.kind === 'later') return context.wait(laterMs, { reason: 'deliveries are being tried' });
      if (step.kind === 'full') {
        looks += 1;
        if (looks > maxLooks || isStopping()) return context.wait(laterMs, { reason: 'the endpoint has enough to do' });
        if (!(await mayGoOn(lookMs))) return paused(context);
        continue;
      }
      looks = 0;
      const paceMs = isPaced ? (step.made / perSecond) * 1_000 - (performance.now() - startedAt) : 0;
      if (!(await mayGoOn(paceMs))) return paused(context);
    }
  } catch (error) {
    if (error instanceof Superseded) return leftToAnother(context);
    throw error;
  }
}

export const recoverWebhooks = handle(recoverWebhooksJob, run);
export const replayWebhooks = handle(replayWebhooksJob, run);
export const cancelWebhooks = handle(cancelWebhooksJob, run);
