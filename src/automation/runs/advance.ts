import { uuidv7 } from '../../platform/ids.ts';
import { hasMetFaults } from '../../platform/ledger/faults.ts';
import type { Batch, Lesson, Refused } from './batch.ts';
import { callOutside } from './call-outside.ts';
import type { Ended } from './end-batch.ts';
import type { RunDeps } from './parts.ts';
import { StepRefused } from './refusal.ts';
import { findRunNow, type RunNow } from './run-now.ts';
import { isBusy, isOurs, type Taken, takeSteps } from './take-steps.ts';

/** As the batch left it: its transaction asserts that it still is when the next one ends. */
function runAfter({ run, position, vars, stepsRun }: Batch, readAt: number): RunNow {
  const now_ms = run.now_ms + performance.now() - readAt;
  return { ...run, state: 'running', position, vars, steps_run: stepsRun, now_ms, contact: undefined };
}

/**
 * The work of a run's job: batches of steps until the run waits, ends, or goes on in another pool. Throws RunOver once another run of the job is at it.
 * `over`: the run is not this job's. `read`: the run, of a moment ago.
 */
export async function advance(deps: RunDeps, id: string, read?: RunNow): Promise<NonNullable<Ended>> {
  const claim = uuidv7();
  let run = read ?? (await findRunNow(deps.own, id));
  // A step that meets a fault of our own again and again undoes its transaction: those before it are done by themselves, and the run fails at that step.
  const always: Lesson = hasMetFaults(deps.job.error) ? { isSingle: true } : {};
  let lesson = always;
  while (isOurs(run, deps)) {
    const readAt = performance.now();
    const taken: Taken | Lesson = await takeSteps(deps, run, claim, lesson).catch(lessonOf(run, lesson));
    if (!taken) break;
    if (!('batch' in taken)) {
      lesson = taken;
      run = await findRunNow(deps.own, id);
      continue;
    }
    if (taken.ended) return taken.ended;
    lesson = always;
    run = runAfter(taken.batch, readAt);
    const { next } = taken.batch;
    if (next.kind === 'call') return (await callOutside(deps, run, next.call)) ?? { kind: 'over' };
  }
  return { kind: 'over' };
}

/** Of what undid a batch. Any other error is thrown. */
function lessonOf(run: RunNow, before: Lesson): (error: unknown) => Lesson {
  return (error) => {
    if (error instanceof StepRefused) return { ...before, refused: refusedAfter(run, error, before.refused) };
    if (isBusy(error) && !before.isSingle) return { ...before, isSingle: true };
    throw error;
  };
}

/** Behind other steps of its transaction it is tried alone; so the second refusal is for good. */
function refusedAfter(run: RunNow, { number, error, input }: StepRefused, before: Refused | undefined): Refused {
  return { number, error, input, isFirst: before?.number === number || number === run.steps_run + 1 };
}
