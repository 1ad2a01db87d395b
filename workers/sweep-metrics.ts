import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { Findings } from '../src/platform/ledger/sweep.ts';
import { now } from '../src/platform/time/clock.ts';

const kinds = ['parked', 'looked', 'added', 'rerun', 'woken', 'pools', 'lanes'] as const satisfies (keyof Omit<
  Findings,
  'isWhole'
>)[];

export function createSweepMetrics(registry: Registry): { done(findings: Findings, seconds: number): void; failed(): void } {
  const found = new Counter({
    name: 'kanal_sweeper_findings_total',
    help: 'Rows given to the queue shortly before they are due, rows looked at, added because the queue did not know them, rerun because it called them over, woken because it held them back; pools filled, lanes without a head',
    labelNames: ['finding'],
    registers: [registry],
  });
  const sweeps = new Counter({
    name: 'kanal_sweeps_total',
    help: 'Sweeps of this worker by how they ended',
    labelNames: ['outcome'],
    registers: [registry],
  });
  const doneAt = new Gauge({
    name: 'kanal_sweep_completed_timestamp_seconds',
    help: 'When the last sweep of this worker ended',
    registers: [registry],
  });
  const duration = new Histogram({
    name: 'kanal_sweep_duration_seconds',
    help: 'How long a sweep took; it waits for nobody and stops after a second',
    buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers: [registry],
  });
  for (const finding of kinds) found.inc({ finding }, 0);
  for (const outcome of ['done', 'failed']) sweeps.inc({ outcome }, 0);
  return {
    done(findings, seconds) {
      for (const finding of kinds) found.inc({ finding }, findings[finding]);
      sweeps.inc({ outcome: 'done' });
      doneAt.set(now() / 1000);
      duration.observe(seconds);
    },
    failed: () => sweeps.inc({ outcome: 'failed' }),
  };
}
