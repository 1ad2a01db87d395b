import type { Registry } from 'prom-client';
import type { Queues } from '../src/platform/ledger/queues.ts';
import { sweep } from '../src/platform/ledger/sweep.ts';
import type { WorkerDeps } from './handler.ts';
import { startRepeating } from './repeating.ts';
import { createSweepMetrics } from './sweep-metrics.ts';

/** The minimum pause while more is left; at least as long as the sweep, so that sweeping takes half of the time at most. */
const minPauseMs = 50;

export function startSweeper(deps: WorkerDeps, queues: Queues, registry: Registry): { stop(): Promise<void> } {
  const metrics = createSweepMetrics(registry);
  let isWhole = true;
  let tookMs = 0;
  async function work() {
    const startedAt = performance.now();
    try {
      const findings = await sweep({ ...deps, queues });
      isWhole = findings.isWhole;
      metrics.done(findings, (performance.now() - startedAt) / 1000);
    } catch (error) {
      metrics.failed();
      deps.log.warn({ err: error }, 'sweep did not finish');
    }
    tookMs = performance.now() - startedAt;
    const idle = deps.jobMetrics.takeIdle();
    if (idle.early + idle.held + idle.full + idle.crowded + idle.suspect > 0)
      deps.log.info(idle, 'runs that could not begin yet');
  }
  return startRepeating(work, () =>
    isWhole ? deps.config.sweepIntervalMs * (0.9 + Math.random() / 5) : Math.max(minPauseMs, tookMs),
  );
}
