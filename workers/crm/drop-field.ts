import { takeDropStep } from '../../src/records/types/end-walk.ts';
import { dropFieldJob } from '../../src/records/types/jobs.ts';
import { firstSize, nextSize } from '../../src/records/types/walk.ts';
import { handle } from '../handler.ts';
import { paused, turnOf } from '../turn.ts';

export const dropField = handle(dropFieldJob, async ({ field_id: id }, context) => {
  const mayGoOn = turnOf(context);
  let size = firstSize;
  for (;;) {
    const { isLast, tookMs } = await takeDropStep(context.transact, context.own, id, size);
    if (isLast) return context.finish();
    size = nextSize(size, tookMs);
    if (!(await mayGoOn())) return paused(context);
  }
});
