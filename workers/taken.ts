import type { AnyWorker } from '../src/platform/ledger/backends/backend.ts';

/** Runs that a worker has taken from the queue and not begun. */
const maxAhead = 8;

/**
 * BullMQ begins none of its runs before it has taken as many as its concurrency allows, one after the other, and nothing renews their locks until
 * then. 400 runs of a queue that answers in 30 ms take 12 s: by then the first of them count as dead, and are taken again and again without an
 * end. So a worker may hold only a few runs more than it has begun, `most` in all.
 */
export function createTaken(most: number) {
  let begun = 0;
  let worker: AnyWorker | undefined;
  const allowed = () => Math.min(most, begun + maxAhead);
  function count(change: 1 | -1) {
    begun += change;
    if (worker) worker.concurrency = allowed();
  }
  return {
    /** Runs a worker may take before it has begun any: its concurrency when it is made. */
    atFirst: allowed(),
    of(made: AnyWorker) {
      worker = made;
      worker.concurrency = allowed();
    },
    /** BullMQ looks again right after it has begun a run: this one must have counted by then, so nothing may be waited for before. */
    async begin<Result>(work: () => Promise<Result>): Promise<Result> {
      count(1);
      try {
        return await work();
      } finally {
        count(-1);
      }
    },
  };
}
