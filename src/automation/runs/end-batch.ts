import { uuidv7 } from '../../platform/ids.ts';
import { usePool } from '../../platform/ledger/pools.ts';
import { type PutOff, putOff } from '../../platform/ledger/put-off.ts';
import { endDone, RunOver } from '../../platform/ledger/release.ts';
import type { TenantTx } from '../../platform/ledger/tx.ts';
import { automationPool } from '../jobs.ts';
import { AutomationWait } from '../run.entity.ts';
import type { RunAction } from '../states.ts';
import type { Batch, Next, Subject } from './batch.ts';
import { tellFailure } from './end.ts';
import type { RunDeps } from './parts.ts';
import { runJobOfRule } from './run-job.ts';
import type { RunNow } from './run-now.ts';
import { includeSteps, type RunAfter } from './run-tx.ts';

/** How the work on the job ends with a batch; undefined: it goes on. */
export type Ended =
  | { kind: 'done' }
  | { kind: 'wait' | 'again'; delayMs: number; isMoved: boolean; reason?: string }
  | { kind: 'over' }
  | undefined;

const lastAction: Partial<Record<Next['kind'], RunAction>> = { succeed: 'succeed', fail: 'fail', cancel: 'cancel' };

/** Of the run, after the steps of the batch. */
function afterOf({ run, position, vars, stepsRun, next }: Batch): RunAfter {
  const last = lastAction[next.kind];
  const after: RunAfter = {
    actions: ['begin', ...(last ? [last] : [])],
    ...{ position, vars, steps_run: stepsRun },
    job_id: last ? null : run.job_id,
  };
  if (next.kind === 'fail') return { ...after, failed_step: next.failure.step, error: next.failure.error };
  if (next.kind === 'succeed' || next.kind === 'cancel') return { ...after, reason: next.reason };
  const until = next.kind === 'wait' ? next.until : next.kind === 'again' ? run.now_ms + next.delayMs : undefined;
  if (until === undefined || !('type' in next)) return after;
  return { ...after, waiting_for: next.type, wakes_at: new Date(until).toISOString() };
}

/** What a batch makes of its run and its job, in the transaction of its steps. */
export async function endBatch(deps: RunDeps, tx: TenantTx, batch: Batch): Promise<Ended> {
  const { job } = deps;
  const { run, taken, endsWaits, next } = batch;
  const after = afterOf(batch);
  if (next.kind === 'move') after.job_id = await moveJob(tx, run, next.pool);
  if (next.kind === 'wait' && next.awaits) await hear(tx, run.id, next.awaits);
  if (next.kind === 'fail') await tellFailure(tx, run, next.failure);
  includeSteps(tx.own, run, after, taken, { endsWaits });
  switch (next.kind) {
    case 'go_on':
    case 'call':
      return undefined;
    case 'wait':
      return putOffJob(deps, tx, { kind: 'wait', delayMs: Math.max(0, next.until - run.now_ms) });
    case 'again':
      return putOffJob(deps, tx, next);
    default:
      endDone(tx, { ...job, lane: null, visible: false }, { isAsserted: true });
      return { kind: 'done' };
  }
}

/** The row ends, and another one goes on with the run, in that pool. Returns its id. */
async function moveJob({ own }: TenantTx, run: RunNow, pool: { id: string; width: number }): Promise<string> {
  // That of the organization is there since the rule was published.
  if (pool.id !== automationPool(own.organizationId)) await usePool(own, pool.id, pool.width);
  return own.enqueue(runJobOfRule, { run_id: run.id }, { pool: pool.id, id: uuidv7() });
}

type Off = { kind: 'wait' | 'again'; delayMs: number; reason?: string };

async function putOffJob({ job }: RunDeps, tx: TenantTx, { kind, delayMs, reason }: Off): Promise<Ended> {
  const off: PutOff = { delayMs, spend: kind === 'again' };
  const put = await putOff(tx, job, off);
  if (!put) throw new RunOver();
  return { kind, delayMs, isMoved: put.run !== job.run, ...(reason && { reason }) };
}

async function hear({ own }: TenantTx, runId: string, { event, subjects }: { event: string; subjects: Subject[] }) {
  const rows = subjects.map(({ type, id }) => ({ run_id: runId, event_type: event, subject_type: type, subject_id: id }));
  await own.insertMany(AutomationWait, rows);
}
