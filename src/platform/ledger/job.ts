import type Joi from 'joi';
import type { JobError } from './jobs.entity.ts';
import type { Enqueued, TenantTx } from './tx.ts';

export const queueNames = ['messages', 'webhooks', 'webhook-retries', 'default'] as const;
export type QueueName = (typeof queueNames)[number];

/** What producer and handler agree on. The payload holds ids only: everything else is read fresh at every run. */
export type JobContract<Payload extends Record<string, string> = Record<string, string>> = Enqueued<Payload> & {
  queue: QueueName;
  payload: Joi.ObjectSchema<Payload>;
  /** Milliseconds before the next attempt, after `attempts` that ended; undefined: that was the last. */
  delayMs(attempts: number): number | undefined;
  /** Writes a final failure back to the subject, in the transaction that ends the job. */
  failed(tx: TenantTx, payload: Payload, error: JobError): Promise<void>;
  /** Makes the subject ready for a retry by hand; a refusal throws. */
  revived(tx: TenantTx, payload: Payload): Promise<void>;
  /** SQL: part of the statement of `jobs check`: a select of the `id` of subjects that still wait for this job. */
  openSubjects?: string;
  /** The room of a run in its pool is free again once its subject is claimed: the pool's width bounds what is dispatched, not what runs. */
  freesRoomAtClaim?: boolean;
  /** True when a worker that died in the middle may have done what cannot be undone: the job then never fails as crashed. */
  survivesCrashes?(tx: TenantTx, payload: Payload): Promise<boolean>;
};

export const job = <Payload extends Record<string, string>>(contract: JobContract<Payload>): JobContract<Payload> => contract;

const steps = [1_000, 5_000, 30_000, 120_000, 600_000, 1_800_000, 3_600_000];

/** At most so many attempts, with waits of 1 s, 5 s, 30 s, 2 min, 10 min, 30 min, then hours; up to a fifth is added at random. */
export const backoff =
  (maxAttempts: number) =>
  (attempts: number): number | undefined => {
    if (attempts >= maxAttempts) return undefined;
    const step = steps[Math.min(attempts, steps.length) - 1] ?? steps[0]!;
    return Math.round(step * (1 + Math.random() / 5));
  };
