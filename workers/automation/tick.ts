import { ruleLock } from '../../src/automation/jobs.ts';
import { nextStep, pauseAsInvalid, type TickSizes } from '../../src/automation/schedule/tick.ts';
import { tickJob } from '../../src/automation/schedule/tick-job.ts';
import { AppError } from '../../src/platform/errors.ts';
import { Superseded } from '../../src/platform/ledger/superseded.ts';
import { handle } from '../handler.ts';
import { paused, turnOf } from '../turn.ts';

/** Runs of the moment, batch by batch; the last one is one transaction with the next tick. */
export const tickRuleWith = (sizes: TickSizes) =>
  handle(tickJob, async ({ rule_id: id }, context) => {
    const mayGoOn = turnOf(context);
    const { row: job, transact } = context;
    try {
      for (;;) {
        const tick = await nextStep(context, id, job.id, sizes);
        if (tick.kind === 'over') return context.finish();
        if (tick.kind === 'early') return context.wait(Math.ceil(tick.ms), { reason: 'its moment has not come' });
        if (tick.isLast) return await context.finishLooked(tick.look, tick.write);
        await transact(tick.look, tick.write);
        if (!(await mayGoOn())) return paused(context);
      }
    } catch (error) {
      // Paused, deleted or published meanwhile: another job has the next moment, or none.
      if (error instanceof Superseded) return context.finish();
      if (!(error instanceof AppError && error.code === 'invalid_request')) throw error;
      const looked = { look: async () => undefined, locks: () => [ruleLock(id)] };
      return context.finishLooked(looked, ({ own }) => pauseAsInvalid(own, id, job.id));
    }
  });

export const tickRule = tickRuleWith({});
