import type { Registry } from 'prom-client';
import type { Queues } from '../src/ledger/queues.ts';
import { sweep } from '../src/ledger/sweep.ts';
import type { WorkerDeps } from './handler.ts';
import { startRepeating } from './repeating.ts';
import { createSweepMetrics } from './sweep-metrics.ts';

/** Sweeps every few seconds, one at a time, a little apart from the other workers. */
export function startSweeper(deps: WorkerDeps, queues: Queues, registry: Registry): { stop(): Promise<void> } {
  const metrics = createSweepMetrics(registry);
  const work = () =>
    sweep({ ...deps, queues }).then(metrics.done, (error) => {
      metrics.failed();
      deps.log.warn({ err: error }, 'sweep did not finish');
    });
  return startRepeating(work, () => deps.config.sweepIntervalMs * (0.9 + Math.random() / 5));
}
