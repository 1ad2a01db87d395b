import Joi from 'joi';
import { AppError } from '../platform/errors.ts';
import { uuid } from '../platform/ids.ts';
import { backoff, job } from '../platform/ledger/job.ts';

export const applyProviderWebhookJob = job<{ webhook_id: string }>({
  name: 'provider-webhooks.apply',
  queue: 'default',
  payload: Joi.object({ webhook_id: uuid }),
  subjectType: 'provider_webhook',
  subject: 'webhook_id',
  delayMs: backoff(8),
  operation: false,
  async failed(tx, { webhook_id }, error) {
    await tx.query(
      `update provider_webhooks set state = 'broken', errors = coalesce(errors, '[]') || $2::jsonb where id = $1 and state = 'received'`,
      [webhook_id, JSON.stringify([{ error: error.message }])],
    );
  },
  async revived(tx, { webhook_id }) {
    const back = await tx.query(
      `update provider_webhooks set state = 'received', errors = null where id = $1 and state = 'broken' returning id`,
      [webhook_id],
    );
    if (back.length === 0) throw new AppError('conflict', 'The provider webhook is not broken');
  },
  openSubjects: `select id from provider_webhooks where state = 'received'`,
});

/** A status that came before the message's own id was known, and without our callback data. */
export const matchStatusJob = job<{ status_id: string }>({
  name: 'provider-webhooks.match-status',
  queue: 'default',
  payload: Joi.object({ status_id: uuid }),
  subjectType: 'unmatched_status',
  subject: 'status_id',
  delayMs: backoff(8),
  operation: false,
  async failed(tx, { status_id }) {
    await tx.query(`update unmatched_statuses set state = 'dropped' where id = $1`, [status_id]);
  },
  async revived(tx, { status_id }) {
    await tx.query(`update unmatched_statuses set state = 'waiting' where id = $1`, [status_id]);
  },
  openSubjects: `select id from unmatched_statuses where state = 'waiting'`,
});
