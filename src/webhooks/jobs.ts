import Joi from 'joi';
import { now } from '../platform/database/columns.ts';
import { uuid } from '../platform/ids.ts';
import { job } from '../platform/ledger/job.ts';
import { Delivery } from './endpoint.entity.ts';
import { nextDelayMs } from './schedule.ts';

/** Never enqueued: emit's own statement (events/record.ts) creates the delivery and its job with the event. */
export const deliverWebhookJob = job<{ delivery_id: string }>({
  name: 'webhooks.deliver',
  queue: 'webhooks',
  payload: Joi.object({ delivery_id: uuid }),
  subjectType: 'webhook_delivery',
  subject: 'delivery_id',
  delayMs: (attempts) => nextDelayMs(attempts),
  operation: false,
  async failed({ own }, { delivery_id: id }) {
    const change = { state: 'failed', next_attempt_at: null, finished_at: now() } as const;
    await own.update(Delivery, { id, state: 'pending' }, change);
  },
  async revived({ own }, { delivery_id: id }) {
    const change = { state: 'pending', next_attempt_at: now(), finished_at: null } as const;
    await own.update(Delivery, { id, state: 'failed' }, change);
  },
  openSubjects: `select id from webhook_deliveries where state = 'pending'`,
});
