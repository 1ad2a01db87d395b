import { Counter, Histogram, type Registry } from 'prom-client';
import { childrenOf } from '../src/platform/metrics/children.ts';

export type JobMetrics = {
  /** `outcome` is the kind in workers/run-job.ts. */
  ended(queue: string, job: string, outcome: string, seconds: number): void;
  /** A fault of our own: spends no attempt. */
  fault(job: string): void;
  /** A claim came before the pace of its pool allowed it. */
  paced(job: string): void;
  /** Runs that were no attempt since the last call, by reason. */
  takeIdle(): IdleRuns;
};

export type IdleRuns = Record<'early' | 'held' | 'full' | 'crowded' | 'suspect' | 'paced', number>;
const noIdleRuns = (): IdleRuns => ({ early: 0, held: 0, full: 0, crowded: 0, suspect: 0, paced: 0 });

/** The ends of an attempt; a run with any other end had nothing to do. */
const attempts = new Set(['done', 'again', 'wait', 'failed']);

export function createJobMetrics(registry: Registry): JobMetrics {
  const runs = childrenOf(
    new Counter({
      name: 'kanal_job_runs_total',
      help: 'Runs of jobs: done, again (an attempt is spent), wait (none is), failed (for good), or no attempt at all: early, held, full, crowded, suspect (its turn after deaths of a worker has not come), stale, retried',
      labelNames: ['queue', 'job', 'outcome'],
      registers: [registry],
    }),
  );
  const duration = childrenOf(
    new Histogram({
      name: 'kanal_job_try_duration_seconds',
      help: 'Attempts of jobs, from their start to the end of the transaction that ends them',
      labelNames: ['job', 'outcome'],
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30, 60],
      registers: [registry],
    }),
  );
  const faults = new Counter({
    name: 'kanal_job_faults_total',
    help: 'Faults of our own in a job: a bug or a part of ours that is away; the job waits and spends no attempt',
    labelNames: ['job'],
    registers: [registry],
  });
  const paced = new Counter({
    name: 'kanal_job_paced_total',
    help: 'Claims that came before the pace of their pool let them, and run again later',
    labelNames: ['job'],
    registers: [registry],
  });
  let idle = noIdleRuns();
  return {
    ended(queue, job, outcome, seconds) {
      runs(queue, job, outcome).inc();
      if (outcome in idle) idle[outcome as keyof IdleRuns] += 1;
      if (attempts.has(outcome)) duration(job, outcome).observe(seconds);
    },
    fault: (job) => faults.inc({ job }),
    paced(job) {
      paced.inc({ job });
      idle.paced += 1;
    },
    takeIdle() {
      const taken = idle;
      idle = noIdleRuns();
      return taken;
    },
  };
}
