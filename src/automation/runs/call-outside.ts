import type { JobError } from '../../platform/ledger/jobs.entity.ts';
import { RunOver } from '../../platform/ledger/release.ts';
import type { CallOutcome } from '../actions/action.ts';
import { automationPool, ruleLock, runLock } from '../jobs.ts';
import { poolWidth } from '../limits.ts';
import type { Batch, Next, PlannedCall } from './batch.ts';
import { definitionOf } from './definition-of.ts';
import { type Ended, endBatch } from './end-batch.ts';
import { bounded } from './output.ts';
import type { RunDeps } from './parts.ts';
import { after, positionOf, stepAt } from './position.ts';
import { runJobOfRule } from './run-job.ts';
import { findRunNow, type RunNow } from './run-now.ts';
import type { TakenStep } from './run-tx.ts';
import { isOurs } from './take-steps.ts';

/** `run`: as the claim left it. Its answer and what follows are one transaction. Throws RunOver once another worker is at the call. */
export async function callOutside(deps: RunDeps, run: RunNow, { step, action, fields, context }: PlannedCall): Promise<Ended> {
  const outcome = await deps.outside(() => action.call(context, fields, `${run.id}.${step.id}`));
  const { calling } = positionOf(run.position);
  let known: RunNow | undefined = run;
  const look = async (): Promise<Batch | undefined> => {
    const now = known ?? (await findRunNow(deps.own, run.id));
    known = undefined;
    if (!isOurs(now, deps)) return undefined;
    // Another worker took this one for dead and asks again: the job, and the answer that counts, are that one's.
    if (positionOf(now.position).calling?.claim !== calling?.claim) throw new RunOver();
    return answered(deps, now, outcome);
  };
  return deps.lasting(
    {
      look,
      isOneTrip: (batch) => batch === undefined || batch.next.kind === 'succeed',
      locks: (batch) => (batch ? [runLock(run.id), ...(batch.next.kind === 'fail' ? [ruleLock(run.rule_id)] : [])] : []),
      cause: { by: `run:${run.id}`, chain: run.chain },
    },
    async (tx, batch) => (batch ? endBatch(deps, tx, batch) : { kind: 'over' }),
  );
}

async function answered(deps: RunDeps, run: RunNow, outcome: CallOutcome): Promise<Batch> {
  const { steps } = await definitionOf(deps.own, run);
  const { calling, ...position } = positionOf(run.position);
  const step = stepAt(steps, position.at)!;
  const row = { number: run.steps_run + 1, step_id: step.id, type: step.type };
  const output = 'output' in outcome && outcome.output ? { output: bounded(outcome.output) } : {};
  const same = { run, writes: [], vars: run.vars, endsWaits: false };
  const is_repeatable = calling?.is_repeatable ?? false;
  if (outcome.kind === 'done') {
    const at = after(steps, position.at);
    const next: Next = stepAt(steps, at)
      ? { kind: 'move', pool: { id: automationPool(deps.own.organizationId), width: poolWidth } }
      : { kind: 'succeed' };
    const taken: TakenStep[] = [{ ...row, state: 'done', ...output }];
    return { ...same, taken, position: { ...position, at }, stepsRun: run.steps_run + 1, next };
  }
  const error = errorOf(outcome);
  const delayMs = isForAgain(outcome, is_repeatable) ? runJobOfRule.delayMs(deps.job.attempts + 1) : undefined;
  if (delayMs === undefined) {
    const next: Next = { kind: 'fail', failure: { step: step.id, error } };
    return { ...same, taken: [{ ...row, state: 'failed', error, ...output }], position, stepsRun: run.steps_run, next };
  }
  const waitMs = outcome.kind === 'busy' ? Math.max(delayMs, outcome.retryAfterMs) : delayMs;
  return {
    ...same,
    taken: [{ ...row, state: 'waiting', error, ...output }],
    position: { ...position, calling: { is_repeatable } },
    stepsRun: run.steps_run,
    next: { kind: 'again', delayMs: waitMs, type: step.type, reason: error.message },
  };
}

const isForAgain = ({ kind }: CallOutcome, isRepeatable: boolean) =>
  kind === 'failed' || kind === 'busy' || (kind === 'unknown' && isRepeatable);

function errorOf(outcome: Exclude<CallOutcome, { kind: 'done' }>): JobError {
  const code = outcome.kind === 'unknown' ? 'outcome_unknown' : outcome.kind === 'busy' ? 'busy' : outcome.code;
  return { code, message: outcome.message };
}
