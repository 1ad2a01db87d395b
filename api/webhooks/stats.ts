import Joi from 'joi';
import { exampleIds, exampleTime } from '../../src/platform/examples.ts';
import { endpointStats, maxCounted, spans } from '../../src/webhooks/stats.ts';
import { endpoint, ok } from '../http/endpoint.ts';
import { iso, timestamp } from '../http/schemas.ts';
import { view } from '../http/view.ts';

const count = Joi.number().integer().required();
const ms = Joi.number().integer().allow(null).required();

const bucket = Joi.object({
  from: timestamp.required(),
  attempts: count,
  succeeded: count,
  success_rate: Joi.number().min(0).max(1).allow(null).required().description('null: there was no attempt'),
  p50_ms: ms,
  p99_ms: ms,
  is_sample: Joi.boolean().required().description('There were more attempts than were read, evenly over its time'),
});
const buckets = Joi.array().items(bucket).required();

const exampleBucket = (from: string) => ({
  from,
  attempts: 40,
  succeeded: 39,
  success_rate: 0.975,
  p50_ms: 48,
  p99_ms: 310,
  is_sample: false,
});

export const statsView = view(
  'webhook_endpoint_stats',
  Joi.object({
    enabled: Joi.boolean()
      .required()
      .description('While it is false, what is pending is held, but for what `release` still delivers'),
    backlog: Joi.object({ pending: count, failed: count, cancelled: count })
      .required()
      .description(`Deliveries by state, counted up to ${maxCounted}`),
    oldest_overdue_at: timestamp
      .allow(null)
      .required()
      .description(`When the delivery that waits the longest was due, among the ${maxCounted} oldest that are pending`),
    next_attempt_at: timestamp.allow(null).required().description('The next attempt that is not due yet'),
    last_attempt_at: timestamp.allow(null).required(),
    last_success_at: timestamp.allow(null).required(),
    hours: buckets.description('The last 24 hours in UTC, the current one last'),
    days: buckets.description('The last 30 days in UTC, today last'),
  }),
  {
    enabled: true,
    backlog: { pending: 1, failed: 0, cancelled: 0 },
    oldest_overdue_at: null,
    next_attempt_at: '2026-11-21T10:05:00.000Z',
    last_attempt_at: exampleTime,
    last_success_at: exampleTime,
    hours: [exampleBucket('2026-11-21T10:00:00.000Z')],
    days: [exampleBucket('2026-11-21T00:00:00.000Z')],
  },
);

const isoOrNull = (value: string | null) => value && iso(value);

export const getEndpointStats = endpoint({
  method: 'get',
  path: '/v1/settings/developer/webhooks/endpoints/:endpointID/stats',
  operationId: 'webhooks.endpoints.stats',
  tag: 'Webhooks',
  scope: 'webhooks:read',
  summary: 'How a webhook endpoint does: success, latency, backlog',
  description: `Of attempts, tests included: at most ${spans.hours.slices * spans.hours.perSlice} of an hour and ${spans.days.slices * spans.days.perSlice} of a day are read, a sample of where there are more.`,
  subject: 'Webhook endpoint',
  responses: { 200: statsView },
  example: { params: { endpointID: exampleIds.webhookEndpoint } },
  async handler({ params, own }, { reads }) {
    const { pending, failed, cancelled, is_enabled, hours, days, ...times } = await endpointStats(reads, own, params.endpointID);
    return ok({
      enabled: is_enabled,
      backlog: { pending, failed, cancelled },
      oldest_overdue_at: isoOrNull(times.oldest_overdue_at),
      next_attempt_at: isoOrNull(times.next_attempt_at),
      last_attempt_at: isoOrNull(times.last_attempt_at),
      last_success_at: isoOrNull(times.last_success_at),
      hours,
      days,
    });
  },
});
