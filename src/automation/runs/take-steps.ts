import { LocksOutdated, subjectLock } from '../../platform/ledger/locks.ts';
import type { OwnTx, TenantTx } from '../../platform/ledger/tx.ts';
import { conflicts } from '../actions/conflicts.ts';
import { ruleLock, runLock } from '../jobs.ts';
import { isLive } from '../states.ts';
import type { Batch, Lesson, Next } from './batch.ts';
import { type Ended, endBatch } from './end-batch.ts';
import { bounded } from './output.ts';
import type { RunDeps } from './parts.ts';
import { planBatch } from './plan.ts';
import { errorOf, isRefusal, StepRefused } from './refusal.ts';
import { findRunNow, type RunNow } from './run-now.ts';

/** The run is this row's to go on with. */
export const isOurs = (run: RunNow | undefined, { job }: RunDeps): run is RunNow =>
  run !== undefined && isLive(run.state) && run.job_id === job.id;

export type Taken = { batch: Batch; ended: Ended } | undefined;

/**
 * One batch of steps: a look, and a transaction with all that they do, their rows, the position after them and what becomes of the job. Undefined: the run
 * is not ours any more. Throws StepRefused, when nothing was written.
 */
export function takeSteps(deps: RunDeps, first: RunNow, claim: string, lesson: Lesson): Promise<Taken> {
  const look = async (attempt: number): Promise<Batch | undefined> => {
    const run = attempt === 1 ? first : await findRunNow(deps.own, first.id);
    if (!isOurs(run, deps)) return undefined;
    const batch = await planBatch(deps, run, claim, lesson);
    return { ...batch, isNoted: attempt === 1 && canBeNoted(batch) };
  };
  const isOneTrip = (batch: Batch | undefined) => batch === undefined || batch.isNoted === true;
  return deps.transact(
    { ...conflicts, look, locks: locksOf, isOneTrip, cause: { by: `run:${first.id}`, chain: first.chain } },
    async (tx, batch) => batch && { batch, ended: await written(deps, tx, batch) },
  );
}

/** Of what it waits for, too: an event about that has been written before the wait begins, or sees it. */
function locksOf(batch: Batch | undefined): string[] {
  if (!batch) return [];
  const { run, writes, next } = batch;
  const awaited = (next.kind === 'wait' && next.awaits?.subjects) || [];
  return [
    runLock(run.id),
    ...(next.kind === 'fail' ? [ruleLock(run.rule_id)] : []),
    ...awaited.map(({ type, id }) => subjectLock(type, id)),
    ...writes.flatMap(({ prepared }) => prepared.locks),
  ];
}

/** Ends that write what is known. */
const plainEnds: Next['kind'][] = ['succeed', 'cancel', 'go_on', 'call'];

/** What was seen is asserted by what is written. Where that fails, the next attempt asks under the locks. */
const canBeNoted = ({ writes, next }: Batch) =>
  plainEnds.includes(next.kind) && writes.every(({ prepared }) => prepared.noted !== undefined);

/** Without deliveries and evaluations of what is emitted. */
function quietly(tx: TenantTx): TenantTx {
  const emit: OwnTx['emit'] = (event, data, options) => tx.own.emit(event, data, { ...options, isHeard: false });
  return Object.assign(Object.create(tx) as TenantTx, { own: Object.assign(Object.create(tx.own) as OwnTx, { emit }) });
}

async function written(deps: RunDeps, tx: TenantTx, batch: Batch): Promise<Ended> {
  if (batch.isNoted) {
    const noting = batch.unheard ? quietly(tx) : tx;
    for (const { row, prepared } of batch.writes) row.output = bounded(await prepared.noted!(noting));
    return endBatch(deps, tx, batch);
  }
  for (const { row, prepared } of batch.writes) {
    try {
      row.output = bounded(await prepared.write(tx));
      // What it only noted is refused here, if it is.
      await tx.own.flush();
    } catch (error) {
      throw isRefusal(error) ? new StepRefused(row, errorOf(error)) : error;
    }
  }
  return endBatch(deps, tx, batch);
}

/** It was looked at again and again, and always changed by others meanwhile. */
export const isBusy = (error: unknown) => error instanceof LocksOutdated;
