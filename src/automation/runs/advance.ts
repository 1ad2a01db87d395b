import { uuidv7 } from '../../platform/ids.ts';
import type { Batch, Refused } from './batch.ts';
import { callOutside } from './call-outside.ts';
import type { Ended } from './end-batch.ts';
import type { RunDeps } from './parts.ts';
import { StepRefused } from './refusal.ts';
import { findRunNow, type RunNow } from './run-now.ts';
import { isOurs, type Taken, takeSteps } from './take-steps.ts';

/** As the batch left it: its transaction asserts that it still is when the next one ends. */
function runAfter({ run, position, vars, stepsRun }: Batch, readAt: number): RunNow {
  const now_ms = run.now_ms + performance.now() - readAt;
  return { ...run, state: 'running', position, vars, steps_run: stepsRun, now_ms };
}

/**
 * The work of a run's job: batches of steps until the run waits, ends, or goes on in another pool. Throws RunOver once another run of the job is at it.
 * `over`: the run is not this job's.
 */
export async function advance(deps: RunDeps, id: string): Promise<NonNullable<Ended>> {
  const claim = uuidv7();
  let run = await findRunNow(deps.own, id);
  let refused: Refused | undefined;
  while (isOurs(run, deps)) {
    const readAt = performance.now();
    const taken: Taken | StepRefused = await takeSteps(deps, run, claim, refused).catch(asRefused);
    if (taken instanceof StepRefused) {
      refused = refusedAfter(run, taken, refused);
      run = await findRunNow(deps.own, id);
      continue;
    }
    if (!taken) break;
    if (taken.ended) return taken.ended;
    refused = undefined;
    run = runAfter(taken.batch, readAt);
    const { next } = taken.batch;
    if (next.kind === 'call') return (await callOutside(deps, run, next.call)) ?? { kind: 'over' };
  }
  return { kind: 'over' };
}

function asRefused(error: unknown): StepRefused {
  if (error instanceof StepRefused) return error;
  throw error;
}

/** Behind other steps of its transaction it is tried alone; so the second refusal is for good. */
function refusedAfter(run: RunNow, { number, error, input }: StepRefused, before: Refused | undefined): Refused {
  return { number, error, input, isFirst: before?.number === number || number === run.steps_run + 1 };
}
