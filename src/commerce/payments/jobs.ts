import Joi from 'joi';
import { AppError } from '../../platform/errors.ts';
import { uuid } from '../../platform/ids.ts';
import { backoff, type JobContract, job } from '../../platform/ledger/job.ts';

/** Loaded with the first end of a job: a process that becomes ready needs the contracts alone. */
const sessionEnds = () => import('./end-session.ts');
const refundEnds = () => import('./settle-refund.ts');

/**
 * Makes the page on which the order's session is paid; what is not wanted any more is ended there before. One row an order: a session
 * whose outcome is lost makes way for another in the same job.
 */
export const createPaymentSessionJob = job<{ order_id: string }>({
  name: 'commerce.create-payment-session',
  queue: 'default',
  payload: Joi.object({ order_id: uuid }),
  subjectType: 'order',
  subject: 'order_id',
  delayMs: backoff(8),
  operation: true,
  failed: async ({ own }, { order_id }, { code, message, provider_code = null }) =>
    (await sessionEnds()).failCreating(own, order_id, { code, message, provider_code }),
  async revived() {
    throw new AppError('conflict', 'Ask for a payment session again: it is a new one, of what is owed now');
  },
  // SQL: a part of the statement of `jobs check`.
  openSubjects: `
    select organization_id, order_id as id
      from payment_sessions
     where status = 'creating'`,
});

/** Ends pages at the provider on which nobody is to pay any more. */
export const cancelPaymentSessionJob = job<{ order_id: string }>({
  name: 'commerce.cancel-payment-session',
  queue: 'default',
  payload: Joi.object({ order_id: uuid }),
  subjectType: 'order',
  subject: 'order_id',
  delayMs: backoff(8),
  operation: false,
  failed: async () => {},
  revived: async () => {},
});

/**
 * Looks at a session though no webhook came: after 2, 10 and 30 minutes, and when its time is over. Without a lane: parked at the head of
 * the order's it would hold up refunds and new sessions.
 */
export const checkPaymentJob = job<{ session_id: string }>({
  name: 'commerce.check-payment',
  queue: 'default',
  payload: Joi.object({ session_id: uuid }),
  subjectType: 'payment_session',
  subject: 'session_id',
  delayMs: backoff(8),
  operation: false,
  failed: async () => {},
  revived: async () => {},
  mayOutliveSubject: true,
  // SQL: a part of the statement of `jobs check`.
  openSubjects: `
    select organization_id, id
      from payment_sessions
     where status in ('open', 'unknown')`,
});

type RefundPayload = { order_id: string; refund_id: string };

export const refundPaymentJob: JobContract<RefundPayload> = job<RefundPayload>({
  name: 'commerce.refund-payment',
  queue: 'default',
  payload: Joi.object({ order_id: uuid, refund_id: uuid }),
  subjectType: 'order',
  subject: 'order_id',
  delayMs: backoff(8),
  operation: true,
  failed: async ({ own }, { refund_id }, { code, message, provider_code = null }) =>
    (await refundEnds()).failRefund(own, refund_id, { code, message, provider_code }),
  revived: async ({ own }, { refund_id }) => (await refundEnds()).reviveRefund(own, refund_id),
  survivesCrashes: async ({ own }, { refund_id }) => (await refundEnds()).mayBeGiven(own, refund_id),
  mayOutliveSubject: true,
  // SQL: a part of the statement of `jobs check`.
  openSubjects: `
    select organization_id, order_id as id
      from refunds
     where status = 'pending' and provider_refund_id is null and failure is null`,
});

/** The provider has the refund and is not done with it: banks take days. Without a lane, as `commerce.check-payment`. */
export const checkRefundJob = job<{ refund_id: string }>({
  name: 'commerce.check-refund',
  queue: 'default',
  payload: Joi.object({ refund_id: uuid }),
  subjectType: 'refund',
  subject: 'refund_id',
  delayMs: backoff(8),
  operation: false,
  failed: async () => {},
  revived: async () => {},
  mayOutliveSubject: true,
  // SQL: a part of the statement of `jobs check`.
  openSubjects: `
    select organization_id, id
      from refunds
     where status = 'pending' and provider_refund_id is not null and failure is null`,
});
