import Joi from 'joi';
import { typesIn } from '../../src/platform/events/type-filter.ts';
import { exampleIdOf, exampleIds, exampleTime } from '../../src/platform/examples.ts';
import { bindingOf, cursorOf, positionIn } from '../../src/platform/listing/cursor.ts';
import { assertKept } from '../../src/platform/retention/kept.ts';
import { type AttemptRow, listAttempts } from '../../src/webhooks/attempts.ts';
import { type DeliveryRow, deliveriesOfEndpoint, deliveriesOfEvent, getDelivery } from '../../src/webhooks/deliveries.ts';
import { type DeliveryState, deliveryStates } from '../../src/webhooks/endpoint.entity.ts';
import { phases } from '../../src/webhooks/phase-clock.ts';
import { endpoint, ok } from '../http/endpoint.ts';
import { listed, listOf, metaOf, type PageQuery, pageQuery } from '../http/paging.ts';
import { id, iso, moment, timestamp } from '../http/schemas.ts';
import { view } from '../http/view.ts';

const base = '/v1/settings/developer/webhooks';
const common = { tag: 'Webhooks', scope: 'webhooks:read' } as const;

const status = Joi.number().integer().allow(null).required().description('Of the answer; null: there was none');
const durationMs = Joi.number().integer().required();
const errorClass = Joi.string()
  .allow(null)
  .required()
  .description('dns, connect, tls, timeout, or http: not 2xx, or no answer that can be read. null: it succeeded');
const phase = Joi.string()
  .valid(...phases, null)
  .required()
  .description('Where an attempt that failed had come to');

export const deliveryView = view(
  'webhook_delivery',
  Joi.object({
    id: id.required(),
    endpoint_id: id.required(),
    event: Joi.object({ id: id.required(), type: Joi.string().required() }).required(),
    state: Joi.string()
      .valid(...deliveryStates)
      .required(),
    held: Joi.boolean().required().description('Waits until its endpoint is enabled'),
    attempts: Joi.number().integer().required(),
    next_attempt_at: timestamp.allow(null).required(),
    last_attempt: Joi.object({
      status,
      error_class: errorClass,
      error: Joi.string().allow('', null).required(),
      phase,
      duration_ms: durationMs,
      created_at: timestamp.required(),
    })
      .allow(null)
      .required()
      .description('null: there was none, or it is older than attempts are kept'),
    is_test: Joi.boolean().required(),
    created_at: timestamp.required(),
    finished_at: timestamp.allow(null).required(),
  }),
  {
    id: exampleIdOf('delivery'),
    endpoint_id: exampleIds.webhookEndpoint,
    event: { id: exampleIds.event, type: 'message.sent' },
    state: 'pending',
    held: false,
    attempts: 1,
    next_attempt_at: '2026-11-21T10:00:06.000Z',
    last_attempt: {
      status: 503,
      error_class: 'http',
      error: 'HTTP 503',
      phase: 'response',
      duration_ms: 41,
      created_at: exampleTime,
    },
    is_test: false,
    created_at: exampleTime,
    finished_at: null,
  },
);

const isoOrNull = (value: string | null) => value && iso(value);

const toDeliveryView = (row: DeliveryRow) => ({
  id: row.id,
  endpoint_id: row.endpoint_id,
  event: { id: row.event_id, type: row.event_type },
  state: row.state,
  held: row.is_held,
  attempts: row.attempts,
  next_attempt_at: isoOrNull(row.next_attempt_at),
  last_attempt: row.last_attempt && { ...row.last_attempt, created_at: iso(row.last_attempt.created_at) },
  is_test: row.is_test,
  created_at: iso(row.created_at),
  finished_at: isoOrNull(row.finished_at),
});

export const attemptView = view(
  'webhook_attempt',
  Joi.object({
    id: id.required(),
    number: Joi.number().integer().required(),
    trigger: Joi.string().required().description('What it is owed to: schedule, replay, recover, test'),
    status,
    duration_ms: durationMs,
    phase,
    phases: Joi.object(Object.fromEntries(phases.map((name) => [name, Joi.number()])))
      .allow(null)
      .required()
      .description('Milliseconds of each phase. Without dns, connect and tls the connection was used again'),
    error_class: errorClass,
    error: Joi.string().allow('', null).required(),
    response_head: Joi.string()
      .allow('', null)
      .required()
      .description('Status line, headers and what came of the body, 20 kB at most'),
    next_attempt_at: timestamp.allow(null).required().description('Only of the last attempt, while there is a next one'),
    created_at: timestamp.required().description('When it had ended'),
  }),
  {
    id: exampleIdOf('attempt'),
    number: 1,
    trigger: 'schedule',
    status: 503,
    duration_ms: 41,
    phase: 'response',
    phases: { dns: 3.1, connect: 8.4, tls: 17.2, response: 11.9, body: 0.4 },
    error_class: 'http',
    error: 'HTTP 503',
    response_head: 'HTTP/1.1 503 Service Unavailable\nretry-after: 120\n\n',
    next_attempt_at: '2026-11-21T10:02:00.000Z',
    created_at: exampleTime,
  },
);

const toAttemptView = ({ created_at, next_attempt_at, ...row }: AttemptRow) => ({
  ...row,
  next_attempt_at: isoOrNull(next_attempt_at),
  created_at: iso(created_at),
});

type ListQuery = {
  limit: number;
  cursor?: string;
  state?: DeliveryState;
  type?: string;
  since?: string;
  until?: string;
};

export const listOfEndpointDeliveries = endpoint({
  ...common,
  method: 'get',
  path: `${base}/endpoints/:endpointID/deliveries`,
  operationId: 'webhooks.endpoints.deliveries',
  summary: 'List the deliveries to a webhook endpoint, newest first',
  description: 'A page that is filtered by `type` may be short or empty although `has_more` is true.',
  subject: 'Webhook endpoint',
  query: Joi.object<ListQuery>({
    limit: pageQuery.limit,
    cursor: pageQuery.cursor,
    state: Joi.string().valid(...deliveryStates),
    type: Joi.string().max(1_000).description('Types of events with commas between them; `message.*` for all that begin so'),
    since: moment.description('Made at this time or later; 422 for a time before which none are kept'),
    until: moment.description('Made before this time'),
  }),
  responses: { 200: listOf(deliveryView) },
  example: { params: { endpointID: exampleIds.webhookEndpoint } },
  async handler({ params, query, own }, { config, reads }) {
    const { limit, cursor, state, since, until } = query;
    assertKept(since, config.retentionEventsDays, { what: 'Deliveries' });
    const filter = { state, types: typesIn(query.type), since, until };
    const binding = bindingOf(['deliveries', params, filter]);
    const [after] = cursor === undefined ? [] : positionIn<[string]>(cursor, binding, ['id']);
    const { rows, end } = await deliveriesOfEndpoint(reads, own, params.endpointID, filter, { limit, after });
    const shown = rows.slice(0, limit);
    const next = rows.length > limit ? shown.at(-1)!.id : end;
    const meta = metaOf({ limit, cursor, include_total: false }, next && cursorOf(binding, [next]));
    return ok({ items: shown.map(toDeliveryView), meta });
  },
});

export const getOneDelivery = endpoint({
  ...common,
  method: 'get',
  path: `${base}/deliveries/:deliveryID`,
  operationId: 'webhooks.deliveries.get',
  summary: 'Get one delivery',
  subject: 'Webhook delivery',
  responses: { 200: deliveryView },
  handler: async ({ params, own }) => ok(toDeliveryView(await getDelivery(own, params.deliveryID))),
});

export const listOfAttempts = endpoint({
  ...common,
  method: 'get',
  path: `${base}/deliveries/:deliveryID/attempts`,
  operationId: 'webhooks.deliveries.attempts',
  summary: 'List the attempts of a delivery, newest first',
  subject: 'Webhook delivery',
  query: Joi.object<PageQuery>(pageQuery),
  responses: { 200: listOf(attemptView) },
  handler: ({ params, query, own }) =>
    listed('attempts', params, query, (page) => listAttempts(own, params.deliveryID, page), toAttemptView),
});

export const listOfEventDeliveries = endpoint({
  ...common,
  method: 'get',
  path: '/v1/events/:eventID/deliveries',
  operationId: 'events.deliveries',
  summary: 'List the deliveries of an event, one for each endpoint that listened',
  subject: 'Event',
  responses: { 200: listOf(deliveryView) },
  async handler({ params, own }) {
    const rows = await deliveriesOfEvent(own, params.eventID);
    return ok({ items: rows.map(toDeliveryView), meta: { has_more: false, limit: rows.length } });
  },
});
