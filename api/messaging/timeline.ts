import Joi from 'joi';
import { maxAttempts } from '../../src/messaging/attempts.ts';
import { attemptErrors, attemptOutcomes, attemptTriggers } from '../../src/messaging/message-attempt.entity.ts';
import { maxDeliveries, maxEvents, recordedOf } from '../../src/messaging/timeline.ts';
import { type Entry, entriesOf, entryKinds } from '../../src/messaging/timeline-entries.ts';
import { notFound } from '../../src/platform/errors.ts';
import { exampleIdOf, exampleIds } from '../../src/platform/examples.ts';
import { jobStates } from '../../src/platform/ledger/jobs.entity.ts';
import { deliveryStates } from '../../src/webhooks/endpoint.entity.ts';
import { endpoint, ok } from '../http/endpoint.ts';
import { id, iso, timestamp } from '../http/schemas.ts';
import { view, wrapped } from '../http/view.ts';
import { failure } from './schemas.ts';

const received = Joi.object({ provider_at: timestamp.required() }).description(
  'When it was written, in whole seconds of the provider’s clock; `at` is when it came in',
);

const queue = Joi.object({
  job_id: id.required(),
  state: Joi.string()
    .valid(...jobStates)
    .required(),
  run: Joi.number().integer().required(),
  next_run_at: timestamp.required(),
}).description('Of `queued`, while its job is there: it has not been sent, or it failed');

const attempt = Joi.object({
  number: Joi.number().integer().required(),
  trigger: Joi.string()
    .valid(...attemptTriggers)
    .required()
    .description(
      '`schedule`: after one that failed; `resend`: after one whose outcome stayed unknown; `retry`: somebody asked for it',
    ),
  outcome: Joi.string()
    .valid(...attemptOutcomes, 'running')
    .required(),
  error_class: Joi.string()
    .valid(...attemptErrors, null)
    .required()
    .description(
      '`refused`: for good; `channel_refused`: the channel may not send; `busy`: wait; `unavailable`: try again; `no_answer`: it may have been taken; `lost`: the worker died meanwhile',
    ),
  provider_code: Joi.string().allow(null).required(),
  reason: Joi.string().allow('').required(),
  duration_ms: Joi.number().integer().allow(null).required().description('Until its end was known. null: nobody measured it'),
  job_id: id.allow(null).required().description('In the logs of the workers; null of the one that passed'),
  run: Joi.number().integer().allow(null).required(),
});

const status = Joi.object({
  status: Joi.string().required(),
  by: Joi.string()
    .valid('provider', 'kanal')
    .required()
    .description('Whose time it is. The provider gives whole seconds, by its own clock'),
  pricing: Joi.object({
    billable: Joi.boolean(),
    model: Joi.string(),
    category: Joi.string(),
    type: Joi.string(),
  })
    .allow(null)
    .required()
    .description('As far as the provider told it: how it is counted, not an amount'),
});

const webhook = Joi.object({
  delivery_id: id.required(),
  endpoint_id: id.required(),
  event: Joi.object({ id: id.required(), type: Joi.string().required() }).required(),
  state: Joi.string()
    .valid(...deliveryStates)
    .required(),
});

const upload = Joi.object({ asset_id: Joi.string().required(), provider_media_id: Joi.string().required() }).description(
  'Of a file named by our id, when this message was the first with it; the provider keeps it for 30 days',
);

const update = Joi.object({
  cause: Joi.string().required().description('`edited`, `deleted`, `media_stored`, `media_failed`; more may come'),
});

const operation = Joi.object({
  id: id.required(),
  state: Joi.string()
    .valid(...jobStates)
    .required()
    .description('`done`: the provider was told'),
  typing: Joi.boolean().required(),
});

const timelineView = view(
  'message_timeline',
  Joi.object({
    message_id: id.required(),
    entries: Joi.array()
      .items(
        Joi.object({
          at: timestamp.required(),
          kind: Joi.string()
            .valid(...entryKinds)
            .required(),
          received,
          queue,
          attempt,
          answer: Joi.object({ provider_message_id: Joi.string().allow('').required() }),
          status,
          failure,
          upload,
          update,
          operation,
          webhook,
        }),
      )
      .required()
      .description('Each has the object of its kind'),
    is_whole: Joi.boolean()
      .required()
      .description('false: the conversation has had so many events since that some webhooks may be missing'),
  }),
  {
    message_id: exampleIds.message,
    entries: [
      { at: '2026-11-21T10:00:00.000Z', kind: 'accepted' },
      { at: '2026-11-21T10:00:00.000Z', kind: 'queued' },
      {
        at: '2026-11-21T10:00:00.012Z',
        kind: 'attempt',
        attempt: {
          number: 1,
          trigger: 'first',
          outcome: 'accepted',
          error_class: null,
          provider_code: null,
          reason: '',
          duration_ms: 180,
          job_id: null,
          run: null,
        },
      },
      {
        at: '2026-11-21T10:00:00.192Z',
        kind: 'answer',
        answer: { provider_message_id: 'wamid.HBgLMTY1MDU1NTEyMzQVAgARGBI5QTNDQTVCM0Q0Q0Q2RTY3RTcA' },
      },
      {
        at: '2026-11-21T10:00:01.000Z',
        kind: 'status',
        status: {
          status: 'delivered',
          by: 'provider',
          pricing: { billable: true, model: 'PMP', category: 'utility', type: 'regular' },
        },
      },
      {
        at: '2026-11-21T10:00:01.240Z',
        kind: 'webhook',
        webhook: {
          delivery_id: exampleIdOf('delivery'),
          endpoint_id: exampleIds.webhookEndpoint,
          event: { id: exampleIds.event, type: 'message.status_update' },
          state: 'succeeded',
        },
      },
    ],
    is_whole: true,
  },
);

/** The object of an entry's kind, as the wire has it. */
function detailOf(entry: Entry): object {
  switch (entry.kind) {
    case 'received':
      return entry.providerAt === null ? {} : { received: { provider_at: iso(entry.providerAt) } };
    case 'queued': {
      const { job } = entry;
      return job ? { queue: { job_id: job.id, state: job.state, run: job.run, next_run_at: iso(job.run_at) } } : {};
    }
    case 'attempt':
      return { attempt: entry.attempt };
    case 'answer':
      return { answer: { provider_message_id: entry.providerMessageId } };
    case 'status':
      return { status: entry.status };
    case 'failed':
      return { failure: entry.failure };
    case 'uploaded':
      return { upload: { asset_id: entry.upload.publicId, provider_media_id: entry.upload.media_id } };
    case 'updated':
      return { update: { cause: entry.cause } };
    case 'marked_read':
      return { operation: { id: entry.job.id, state: entry.job.state, typing: entry.isTyping } };
    case 'webhook': {
      const { id: delivery_id, endpoint_id, event_id, event_type, state } = entry.webhook;
      return { webhook: { delivery_id, endpoint_id, event: { id: event_id, type: event_type }, state } };
    }
    default:
      return {};
  }
}

export const getTimeline = endpoint({
  method: 'get',
  path: '/v1/messages/:messageID/timeline',
  operationId: 'messages.timeline',
  tag: 'Messages',
  scope: 'messages:read',
  summary: 'What became of a message',
  description: `In order of time: accepted, queued, each try with its error, the provider's answer, every status with the provider's time, once each, and the webhooks that told about it; that it was called off, that a file was uploaded for it. Of a received one: its edits and its deletion, what became of its file, and that it was marked as read. The provider's times are whole seconds: a status never stands before the answer it follows. Tries that failed and webhooks are told as long as events are kept. It is one page: the first ${maxAttempts - 1} tries that failed and the last one, the first ${maxDeliveries} webhooks, found among the ${maxEvents.toLocaleString('en')} events of the conversation since.`,
  subject: 'Message',
  responses: { 200: wrapped(timelineView) },
  async handler({ params, own }) {
    const recorded = await recordedOf(own, params.messageID);
    if (!recorded) throw notFound('Message');
    const entries = entriesOf(recorded).map((entry) => ({ at: iso(entry.at), kind: entry.kind, ...detailOf(entry) }));
    return ok({ data: { message_id: params.messageID, entries, is_whole: recorded.isWhole } });
  },
});
