import Joi from 'joi';
import { AppError } from '../platform/errors.ts';
import { uuid } from '../platform/ids.ts';
import { job } from '../platform/ledger/job.ts';
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
  // First tries never wait behind replays.
  retryQueue: 'webhook-retries',
  async failed({ own }, { delivery_id: id }) {
    // SQL: by the database's clock.
    await own.sql(
      `update webhook_deliveries d
          set state = 'failed', next_attempt_at = null, finished_at = clock_timestamp()
        where d.organization_id = $1 and d.id = $2 and d.state = 'pending'`,
      [id],
    );
  },
  async revived({ own }, { delivery_id: id }) {
    const left = await own.sql(
      `select 1
         from webhook_deliveries d
         join webhook_endpoints e on e.organization_id = d.organization_id and e.id = d.endpoint_id
        where d.organization_id = $1 and d.id = $2 and e.deleted_at is null
          for share of e`,
      [id],
    );
    if (left.length === 0) throw new AppError('conflict', 'The webhook endpoint was deleted');
    await own.sql(
      `update webhook_deliveries d
          set state = 'pending', next_attempt_at = clock_timestamp(), finished_at = null,
              asked_by = 'replay', asked_after = attempts
        where d.organization_id = $1 and d.id = $2 and d.state = 'failed'`,
      [id],
    );
  },
  openSubjects: `
    select organization_id, id
      from webhook_deliveries
     where state = 'pending'`,
});
