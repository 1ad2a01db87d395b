import { endIndex, giveUpUnique } from '../../src/records/types/end-walk.ts';
import { indexFieldJob } from '../../src/records/types/jobs.ts';
import { Doubles, firstSize, nextSize, takeIndexStep } from '../../src/records/types/walk.ts';
import { handle } from '../handler.ts';
import { paused, turnOf } from '../turn.ts';

export const indexField = handle(indexFieldJob, async ({ field_id: id }, context) => {
  const { own, transact, facts } = context;
  const mayGoOn = turnOf(context);
  let records = 0;
  let size = firstSize;
  try {
    for (;;) {
      const step = await takeIndexStep(transact, own, id, size);
      if (!step) return context.finish();
      records += step.done;
      size = nextSize(size, step.tookMs);
      facts.records = records;
      if (step.isLast) return context.finish(({ own: tx }) => endIndex(tx, id, step.walkedTo));
      if (!(await mayGoOn())) return paused(context);
    }
  } catch (error) {
    if (!(error instanceof Doubles)) throw error;
    return context.fail({ code: 'conflict', message: error.message }, { work: ({ own: tx }) => giveUpUnique(tx, id) });
  }
});
