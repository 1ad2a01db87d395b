import { Job, Pool } from '../../../src/platform/ledger/jobs.entity.ts';
import { type At, ahead, oneMore, rightNow, rowsOf } from './rows.ts';

export const jobRows = rowsOf(Job);
export const poolRows = rowsOf(Pool);

/** An id, or conditions that hold together. */
type WhichJobs = Parameters<typeof jobRows.change>[1];

/** Makes a job due: the test runs it, or the next sweep dispatches it. */
export const makeDue = (at: At, which: WhichJobs) => jobRows.change(at, which, { run_at: rightNow(), check_at: rightNow() });

/** Also invalidates the run that the queue holds for the old time, so that the next sweep dispatches the job again. */
export const redispatchNow = (at: At, which: WhichJobs) =>
  jobRows.change(at, which, { run: oneMore('run'), run_at: rightNow(), check_at: rightNow() });

/** Queues a job that has ended once more, as a retry by hand does. */
export const requeue = (at: At, which: WhichJobs) =>
  jobRows.change(at, which, { state: 'queued', run: oneMore('run'), finished_at: null, check_at: rightNow() });

export const postpone = (at: At, which: WhichJobs, interval: string) => jobRows.change(at, which, { run_at: ahead(interval) });

/** Nothing of the pool is dispatched until it is released. */
export const holdForever = (at: At, poolId: string) => poolRows.change(at, { id: poolId }, { held_until: 'infinity' });
export const releasePool = (at: At, poolId: string) => poolRows.change(at, { id: poolId }, { held_until: null });

/** `infinity`, a time, or null when the pool is not held. */
export const heldUntil = async (at: At, poolId: string): Promise<string | null> =>
  (await poolRows.one(at, { id: poolId }, ['held_until'])).held_until;

export const secondsUntilRun = async (at: At, which: WhichJobs): Promise<number> =>
  (Date.parse((await jobRows.one(at, which, ['run_at'])).run_at) - Date.now()) / 1_000;

export const hasWork = async (at: At, name: string, subjectId?: string): Promise<boolean> =>
  (await jobRows.count(at, {
    name,
    state: { $in: ['blocked', 'waiting', 'queued'] },
    ...(subjectId && { subject_id: subjectId }),
  })) > 0;
