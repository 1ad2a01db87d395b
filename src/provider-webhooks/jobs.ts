import Joi from 'joi';
import { AppError } from '../platform/errors.ts';
import { uuid } from '../platform/ids.ts';
import { backoff, job } from '../platform/ledger/job.ts';
import { ProviderWebhook, UnmatchedStatus } from './provider-webhook.entity.ts';

export const applyProviderWebhookJob = job<{ webhook_id: string }>({
  name: 'provider-webhooks.apply',
  queue: 'default',
  // Nothing but statuses: a campaign brings thousands, and who writes to us does not wait behind them.
  bulkQueue: 'statuses',
  payload: Joi.object({ webhook_id: uuid }),
  subjectType: 'provider_webhook',
  subject: 'webhook_id',
  delayMs: backoff(8),
  operation: false,
  async failed({ own }, { webhook_id }, error) {
    // SQL: appends to the errors.
    await own.sql(
      `update provider_webhooks
          set state = 'broken', errors = coalesce(errors, '[]') || $3::jsonb
        where organization_id = $1 and id = $2 and state = 'received'`,
      [webhook_id, JSON.stringify([{ error: error.message }])],
    );
  },
  async revived({ own }, { webhook_id: id }) {
    const revived = await own.update(ProviderWebhook, { id, state: 'broken' }, { state: 'received', errors: null });
    if (revived === 0) throw new AppError('conflict', 'The provider webhook is not broken');
  },
  openSubjects: `
    select organization_id, id
      from provider_webhooks
     where state = 'received'`,
});

/** For a status without our callback data that arrived before its message had the provider's id. */
export const matchStatusJob = job<{ status_id: string }>({
  name: 'provider-webhooks.match-status',
  queue: 'default',
  payload: Joi.object({ status_id: uuid }),
  subjectType: 'unmatched_status',
  subject: 'status_id',
  delayMs: backoff(8),
  operation: false,
  async failed({ own }, { status_id: id }) {
    await own.update(UnmatchedStatus, { id }, { state: 'dropped' });
  },
  async revived({ own }, { status_id: id }) {
    await own.update(UnmatchedStatus, { id }, { state: 'waiting' });
  },
  openSubjects: `
    select organization_id, id
      from unmatched_statuses
     where state = 'waiting'`,
});

/** For an answer to a flow that came before the provider's id of the message it answers, and names it by that alone. */
export const matchAnswerJob = job<{ message_id: string }>({
  name: 'provider-webhooks.match-answer',
  queue: 'default',
  payload: Joi.object({ message_id: uuid }),
  subjectType: 'message',
  subject: 'message_id',
  delayMs: backoff(8),
  operation: false,
  failed: async () => {},
  revived: async () => {},
});

/** For an edit or a deletion that came before the message it is about: webhooks have no order. */
export const amendMessageJob = job<{ message_id: string }>({
  name: 'provider-webhooks.amend',
  queue: 'default',
  payload: Joi.object({ message_id: uuid }),
  subjectType: 'message',
  subject: 'message_id',
  delayMs: backoff(8),
  operation: false,
  failed: async () => {},
  revived: async () => {},
});
