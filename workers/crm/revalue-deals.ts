import { endRevaluation, revalueDealsJob } from '../../src/deals/revalue/jobs.ts';
import { takeStep } from '../../src/deals/revalue/run.ts';
import { Superseded } from '../../src/platform/ledger/superseded.ts';
import { handle } from '../handler.ts';
import { leftToAnother, paused, turnOf } from '../turn.ts';

export const revalueDeals = handle(revalueDealsJob, async (payload, context) => {
  const { own, transact, row } = context;
  const mayGoOn = turnOf(context);
  try {
    while (await takeStep(own, transact, payload.revaluation_id, row)) if (!(await mayGoOn())) return paused(context);
  } catch (error) {
    if (error instanceof Superseded) return leftToAnother(context);
    throw error;
  }
  return context.finish((tx) => endRevaluation(tx, payload));
});
