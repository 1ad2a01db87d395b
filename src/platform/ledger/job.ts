import type Joi from 'joi';
import type { JobError } from './jobs.entity.ts';
import type { QueueName } from './queue-names.ts';
import type { Enqueued, TenantTx } from './tx.ts';

/** The payload holds ids only: everything else is read fresh at every run. */
export type JobContract<Payload extends Record<string, string> = Record<string, string>> = Enqueued<Payload> & {
  queue: QueueName;
  payload: Joi.ObjectSchema<Payload>;
  /** After `attempts` that ended; undefined: that was the last. */
  delayMs(attempts: number): number | undefined;
  /** Writes the final failure to the subject, in the transaction that ends the job. */
  failed(tx: TenantTx, payload: Payload, error: JobError): Promise<void>;
  revived(tx: TenantTx, payload: Payload): Promise<void>;
  /** The subject of an operation is called off, paused, goes on; without these it cannot be. A job that can be paused has no lane. */
  calledOff?(tx: TenantTx, payload: Payload): Promise<void>;
  paused?(tx: TenantTx, payload: Payload): Promise<void>;
  resumed?(tx: TenantTx, payload: Payload): Promise<void>;
  /** Where a retry by hand runs, if not in `queue`. */
  retryQueue?: QueueName;
  /** SQL: part of the statement of `jobs check`: a select of `organization_id` and `id` of the subjects that still wait for this job. */
  openSubjects?: string;
  /**
   * Several rows may be live for one subject, and a row may outlive its subject's wait: its handler then finds nothing to do. `jobs check`
   * asks only that an open subject has a row.
   */
  mayOutliveSubject?: boolean;
  /** SQL: what else `jobs check` finds of the subjects: selects of `id` and `detail`, of rows that no rule will move. */
  leftAlone?: { rule: string; statement: string }[];
  /** Frees the run's room once its subject is claimed: the width bounds dispatched runs, not running ones. */
  freesRoomAtClaim?: boolean;
  /** True when a dead worker may have done what cannot be undone: the job then never fails as crashed. */
  survivesCrashes?(tx: TenantTx, payload: Payload): Promise<boolean>;
};

export const job = <Payload extends Record<string, string>>(contract: JobContract<Payload>): JobContract<Payload> => contract;

const steps = [1_000, 5_000, 30_000, 120_000, 600_000, 1_800_000, 3_600_000];

export const backoff =
  (maxAttempts: number) =>
  (attempts: number): number | undefined => {
    if (attempts >= maxAttempts) return undefined;
    const step = steps[Math.min(attempts, steps.length) - 1] ?? steps[0]!;
    return Math.round(step * (1 + Math.random() / 5));
  };

/** Longer waits than the gap would never add up. */
const waitsMs = [5_000, 15_000, 60_000, 120_000];
const longestMs = 300_000;
/** Over about an hour: what a restart or a deployment mends is over by then. */
const maxFaults = 15;

/** After so many exceptions of our own in a row, outages excluded; undefined: that was the last, and the job fails as `internal`. The same for every job. */
export const boundedFaults = (faults: number): number | undefined =>
  faults >= maxFaults ? undefined : (waitsMs[faults - 1] ?? longestMs);
