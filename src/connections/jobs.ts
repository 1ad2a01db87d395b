import Joi from 'joi';
import { cut } from '../platform/cut.ts';
import { uuid } from '../platform/ids.ts';
import { backoff, job } from '../platform/ledger/job.ts';

const checkJob = (name: string, operation: boolean) =>
  job<{ connection_id: string }>({
    name,
    queue: 'default',
    payload: Joi.object({ connection_id: uuid }),
    subjectType: 'connection',
    subject: 'connection_id',
    delayMs: backoff(4),
    operation,
    // The next check by time finds it as well.
    failed: async () => {},
    revived: async () => {},
  });

/** Somebody asked for it. */
export const checkConnectionJob = checkJob('connections.check', true);
/** The same by time: no operation that anybody waits for. */
export const watchConnectionJob = checkJob('connections.watch', false);

/** What a provider told: the handler reads at the provider before it believes anything. SQL: `openSubjects` are a set. */
export const applyConnectionWebhookJob = job<{ webhook_id: string }>({
  name: 'connections.apply-webhook',
  queue: 'default',
  payload: Joi.object({ webhook_id: uuid }),
  subjectType: 'connection_webhook',
  subject: 'webhook_id',
  delayMs: backoff(8),
  operation: false,
  // SQL: one statement for one row.
  async failed({ own }, { webhook_id }, { message }) {
    await own.sql(
      `update connection_webhooks
          set status = 'broken', error = $3
        where organization_id = $1 and id = $2 and status = 'received'`,
      [webhook_id, cut(message, 500)],
    );
  },
  // SQL: one statement for one row.
  async revived({ own }, { webhook_id }) {
    await own.sql(
      `update connection_webhooks
          set status = 'received', error = null
        where organization_id = $1 and id = $2 and status = 'broken'`,
      [webhook_id],
    );
  },
  openSubjects: `
    select organization_id, id
      from connection_webhooks
     where status = 'received'`,
});
