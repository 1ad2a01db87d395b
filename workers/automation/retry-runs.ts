import { retryRunsJob } from '../../src/automation/runs/many-jobs.ts';
import { retryStep } from '../../src/automation/runs/retry-many.ts';
import { Superseded } from '../../src/platform/ledger/superseded.ts';
import { handle } from '../handler.ts';
import { leftToAnother, paused, turnOf } from '../turn.ts';

export const retryRuns = handle(retryRunsJob, async (payload, context) => {
  const { own, transact, row } = context;
  const mayGoOn = turnOf(context);
  try {
    while (await retryStep(own, transact, payload, row)) if (!(await mayGoOn())) return paused(context);
  } catch (error) {
    if (error instanceof Superseded) return leftToAnother(context);
    throw error;
  }
  return context.finish();
});
