import Joi from 'joi';
import type { Ordering } from '../../src/webhooks/endpoint.entity.ts';
import {
  changeEndpoint,
  createEndpoint,
  endpointLock,
  getEndpoint,
  listEndpoints,
  maxEndpoints,
} from '../../src/webhooks/endpoints.ts';
import { deleteEndpoint, deletionOf } from '../../src/webhooks/switch-endpoint.ts';
import { endpoint, ok } from '../http/endpoint.ts';
import { listed, listOf, type PageQuery, pageQuery } from '../http/paging.ts';
import { withExample } from '../http/view.ts';
import {
  aboutEndpoint,
  base,
  checkHeaders,
  endpointView,
  exampleBody,
  fields,
  publicUrl,
  tag,
  toView,
  withSecret,
} from './endpoint-schemas.ts';

type CreateBody = {
  url: string;
  event_types: string[];
  description: string;
  headers?: Record<string, string>;
  rate_limit?: number;
  ordering: Ordering;
};

export const createWebhookEndpoint = endpoint({
  method: 'post',
  path: base,
  operationId: 'webhooks.endpoints.create',
  tag,
  scope: 'webhooks:write',
  summary: 'Create a webhook endpoint',
  audit: 'webhook_endpoint',
  description: `Events of the chosen types are POSTed to it, signed, and retried for three days. An organization has at most ${maxEndpoints}. The secret can be read later with the scope \`webhooks:secrets\`.`,
  isIdempotent: true,
  holdsSecret: true,
  body: Joi.object<CreateBody>({
    url: fields.url.required(),
    event_types: fields.event_types.required(),
    description: fields.description.default(''),
    headers: fields.headers,
    rate_limit: fields.rate_limit,
    ordering: fields.ordering.default('best_effort'),
  }),
  responses: { 201: withSecret },
  example: { body: exampleBody },
  async handler({ body, write }, { config, secrets }) {
    checkHeaders(body.headers ?? {});
    const request = {
      url: publicUrl(body.url, config),
      eventTypes: body.event_types,
      description: body.description,
      headers: body.headers,
      rateLimit: body.rate_limit,
      ordering: body.ordering,
    };
    return write({}, async (tx) => {
      const row = await createEndpoint(tx, request, secrets);
      return { status: 201, body: { ...toView(row, secrets), secret: row.secret } };
    });
  },
});

export const listOfWebhookEndpoints = endpoint({
  method: 'get',
  path: base,
  operationId: 'webhooks.endpoints.list',
  tag,
  scope: 'webhooks:read',
  summary: 'List the webhook endpoints, newest first',
  query: Joi.object<PageQuery>(pageQuery),
  responses: { 200: listOf(endpointView) },
  handler: ({ query, own }, { secrets }) =>
    listed(
      'webhooks.endpoints',
      {},
      query,
      (page) => listEndpoints(own, page),
      (row) => toView(row, secrets),
    ),
});

export const getWebhookEndpoint = endpoint({
  ...aboutEndpoint,
  method: 'get',
  path: `${base}/:endpointID`,
  operationId: 'webhooks.endpoints.get',
  scope: 'webhooks:read',
  summary: 'Get one webhook endpoint',
  responses: { 200: endpointView },
  handler: async ({ params, own }, { secrets }) => ok(toView(await getEndpoint(own, params.endpointID), secrets)),
});

type ChangeBody = {
  url?: string;
  event_types?: string[];
  description?: string;
  headers?: Record<string, string | null> | null;
  rate_limit?: number | null;
  ordering?: Ordering;
};

export const patchWebhookEndpoint = endpoint({
  ...aboutEndpoint,
  method: 'patch',
  path: `${base}/:endpointID`,
  operationId: 'webhooks.endpoints.update',
  scope: 'webhooks:write',
  audit: 'webhook_endpoint',
  summary: 'Change a webhook endpoint',
  description:
    'A new `url`, new `headers` and a new `rate_limit` hold for deliveries that wait as well, from their next attempt on. New `event_types` and a new `ordering` hold for events from then on: what waits in order stays in order.',
  body: Joi.object<ChangeBody>({
    url: fields.url,
    event_types: fields.event_types,
    description: fields.description,
    headers: fields.headersChange,
    rate_limit: fields.rate_limit.allow(null).description('Deliveries a second at most; null: no limit'),
    ordering: fields.ordering,
  }).min(1),
  responses: { 200: withExample(endpointView, { event_types: ['message.*'], header_names: ['X-Token'] }) },
  example: { body: { event_types: ['message.*'], headers: { 'X-Token': 'secret' } } },
  async handler({ params, body, write }, { config, secrets }) {
    const id = params.endpointID;
    checkHeaders(body.headers ?? {});
    const change = {
      ...(body.url !== undefined && { url: publicUrl(body.url, config) }),
      eventTypes: body.event_types,
      description: body.description,
      headers: body.headers,
      rateLimit: body.rate_limit,
      ordering: body.ordering,
    };
    return write({ locks: [endpointLock(id)] }, async (tx) => ({
      ...ok(toView(await changeEndpoint(tx, id, change, secrets), secrets)),
      audit: { details: { changed: Object.keys(body) } },
    }));
  },
});

export const deleteWebhookEndpoint = endpoint({
  ...aboutEndpoint,
  method: 'delete',
  path: `${base}/:endpointID`,
  operationId: 'webhooks.endpoints.delete',
  scope: 'webhooks:write',
  audit: 'webhook_endpoint',
  summary: 'Delete a webhook endpoint',
  description:
    'It hears of nothing more, and its secrets and headers are erased at once. Deliveries that wait are cancelled, and its bulk operations are called off; a request under way ends as it ends. What was delivered can be read, by delivery and by event, until its retention ends.',
  responses: { 204: null },
  handler: ({ params, own, write }) =>
    write(deletionOf(own, params.endpointID), async (tx, operations) => {
      await deleteEndpoint(tx, params.endpointID, operations);
      return { status: 204 };
    }),
});
