import type { Queues } from '../src/ledger/queues.ts';
import { sweep } from '../src/ledger/sweep.ts';
import type { WorkerDeps } from './handler.ts';

/** Sweeps every few seconds, one at a time, a little apart from the other workers. */
export function startSweeper(deps: WorkerDeps, queues: Queues): { stop(): Promise<void> } {
  let isStopped = false;
  let running: Promise<unknown> = Promise.resolve();
  let timer: NodeJS.Timeout;
  const next = () => {
    if (isStopped) return;
    timer = setTimeout(
      () => {
        running = sweep({ ...deps, queues })
          .catch((error) => deps.log.warn({ err: error }, 'sweep did not finish'))
          .finally(next);
      },
      deps.config.sweepIntervalMs * (0.9 + Math.random() / 5),
    );
  };
  next();
  return {
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
