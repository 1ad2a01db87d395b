import { replaceOptionsJob } from '../../src/records/types/jobs.ts';
import { endReplacement, maxAtOnce, takeReplaceStep } from '../../src/records/types/replace-options.ts';
import { firstSize, nextSize } from '../../src/records/types/walk.ts';
import { handle } from '../handler.ts';
import { paused, turnOf } from '../turn.ts';

export const replaceOptions = handle(replaceOptionsJob, async ({ field_id: fieldId, actor }, context) => {
  const { own, transact, facts } = context;
  const mayGoOn = turnOf(context);
  let records = 0;
  let most = firstSize;
  for (;;) {
    const step = await takeReplaceStep(transact, own, { fieldId, actor }, undefined, most);
    if (!step) return context.finish();
    records += step.done;
    facts.records = records;
    most = Math.min(maxAtOnce, nextSize(most, step.tookMs));
    if (step.isLast) return context.finish(({ own: tx }) => endReplacement(tx, fieldId, step.replacedTo));
    if (!(await mayGoOn())) return paused(context);
  }
});
