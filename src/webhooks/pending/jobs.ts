import Joi from 'joi';
import { uuid } from '../../platform/ids.ts';
import { backoff, type JobContract, job } from '../../platform/ledger/job.ts';

export type PendingPayload = { endpoint_id: string; up_to: string };
export type PendingJob = JobContract<PendingPayload>;

/** What changes all deliveries of an endpoint that wait, up to one: in steps, since there may be any number. In the endpoint's lane. */
const pendingJob = (name: string): PendingJob =>
  job<PendingPayload>({
    name,
    queue: 'default',
    payload: Joi.object({ endpoint_id: uuid, up_to: uuid }),
    subjectType: 'webhook_endpoint',
    subject: 'endpoint_id',
    delayMs: backoff(8),
    operation: true,
    failed: async () => {},
    revived: async () => {},
    // The endpoint's pool may be held until it is done.
    survivesCrashes: async () => true,
  });

export const cancelPendingJob = pendingJob('webhooks.cancel-pending');
/** To the pool that is not held while the endpoint is disabled. */
export const drainPendingJob = pendingJob('webhooks.drain-pending');
/** Back to the endpoint's own pool, each at its time. */
export const resumePendingJob = pendingJob('webhooks.resume-pending');
/** The same, and all of them now. */
export const hastenPendingJob = pendingJob('webhooks.hasten-pending');
