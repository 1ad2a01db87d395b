import { takeDropStep } from '../../src/records/types/end-walk.ts';
import { dropFieldJob } from '../../src/records/types/jobs.ts';
import { handle } from '../handler.ts';
import { paused, turnOf } from '../turn.ts';

export const dropField = handle(dropFieldJob, async ({ field_id: id }, context) => {
  const mayGoOn = turnOf(context);
  for (;;) {
    if (await takeDropStep(context.transact, context.own, id)) return context.finish();
    if (!(await mayGoOn())) return paused(context);
  }
});
