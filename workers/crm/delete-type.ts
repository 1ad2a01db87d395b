import { takeDeleteStep } from '../../src/records/types/end-walk.ts';
import { deleteTypeJob } from '../../src/records/types/jobs.ts';
import { handle } from '../handler.ts';
import { paused, turnOf } from '../turn.ts';

export const deleteType = handle(deleteTypeJob, async ({ type_id: id }, context) => {
  const mayGoOn = turnOf(context);
  for (;;) {
    if (await takeDeleteStep(context.transact, id)) return context.finish();
    if (!(await mayGoOn())) return paused(context);
  }
});
