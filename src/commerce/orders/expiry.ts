import Joi from 'joi';
import { uuid } from '../../platform/ids.ts';
import { backoff, job } from '../../platform/ledger/job.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import { orderLane } from './order-row.ts';

/**
 * The reservation of an order that is still pending ends. Its handler asks about an open payment session first; what is paid meanwhile
 * wins. Too early, or of an order that is not pending any more, it does nothing. SQL: `openSubjects` is a part of the statement of `jobs check`.
 */
export const expireOrderJob = job<{ order_id: string }>({
  name: 'commerce.expire-order',
  queue: 'default',
  payload: Joi.object({ order_id: uuid }),
  subjectType: 'order',
  subject: 'order_id',
  delayMs: backoff(8),
  operation: false,
  failed: async () => {},
  revived: async () => {},
  mayOutliveSubject: true,
  openSubjects: `
    select organization_id, id
      from orders
     where status = 'pending' and reserved_until is not null`,
});

/** Needs the order's lock, or that it is new. */
export function enqueueExpiry(tx: OwnTx, orderId: string, delayMs: number): void {
  tx.enqueue(expireOrderJob, { order_id: orderId }, { lane: orderLane('expiry', orderId), delayMs });
}
