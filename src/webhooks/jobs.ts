import Joi from 'joi';
import { uuid } from '../platform/ids.ts';
import { job } from '../platform/ledger/job.ts';
import { nextDelayMs } from './schedule.ts';

/** Written by emit's own statement (events/record.ts), never enqueued: a delivery and its job are born with their event. */
export const deliverWebhookJob = job<{ delivery_id: string }>({
  name: 'webhooks.deliver',
  queue: 'webhooks',
  payload: Joi.object({ delivery_id: uuid }),
  subjectType: 'webhook_delivery',
  subject: 'delivery_id',
  delayMs: (attempts) => nextDelayMs(attempts),
  operation: false,
  async failed(tx, { delivery_id }) {
    await tx.query(
      `update webhook_deliveries set state = 'failed', next_attempt_at = null, finished_at = clock_timestamp() where id = $1 and state = 'pending'`,
      [delivery_id],
    );
  },
  async revived(tx, { delivery_id }) {
    await tx.query(
      `update webhook_deliveries set state = 'pending', next_attempt_at = clock_timestamp(), finished_at = null where id = $1 and state = 'failed'`,
      [delivery_id],
    );
  },
  openSubjects: `select id from webhook_deliveries where state = 'pending'`,
});
