import Joi from 'joi';
import { invalidField } from '../../src/platform/errors.ts';
import { eventTypes } from '../../src/platform/events/catalogue.ts';
import { exampleIds, exampleTime } from '../../src/platform/examples.ts';
import { checkUrl } from '../../src/webhooks/address-guard.ts';
import type { Ordering } from '../../src/webhooks/endpoint.entity.ts';
import { createEndpoint, type EndpointRow, endpointLock, testEndpoint } from '../../src/webhooks/endpoints.ts';
import { forbiddenHeader } from '../../src/webhooks/request-headers.ts';
import { endpoint, ok } from '../http/endpoint.ts';
import { id, iso, operationNote, timestamp } from '../http/schemas.ts';
import { view } from '../http/view.ts';

const tag = 'Webhooks';
const base = '/v1/settings/developer/webhooks/endpoints';

const exampleBody = { url: 'https://example.com/hooks', event_types: ['message.sent', 'message.status_update'] };

export const endpointView = view(
  'webhook_endpoint',
  Joi.object({
    id: id.required(),
    url: Joi.string().required(),
    event_types: Joi.array().items(Joi.string()).required(),
    description: Joi.string().allow('').required(),
    rate_limit: Joi.number().integer().allow(null).required(),
    ordering: Joi.string().valid('best_effort', 'per_subject').required(),
    enabled: Joi.boolean().required(),
    secret: Joi.string().required().description('Signs every delivery (Standard Webhooks). Shown now and not in lists'),
    created_at: timestamp.required(),
    updated_at: timestamp.required(),
  }),
  {
    ...exampleBody,
    id: exampleIds.webhookEndpoint,
    description: '',
    rate_limit: null,
    ordering: 'best_effort',
    enabled: true,
    secret: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD',
    created_at: exampleTime,
    updated_at: exampleTime,
  },
);

const toView = (row: EndpointRow & { secret: string }) => ({
  id: row.id,
  url: row.url,
  event_types: row.event_types,
  description: row.description,
  rate_limit: row.rate_limit,
  ordering: row.ordering,
  enabled: row.enabled,
  secret: row.secret,
  created_at: iso(row.created_at),
  updated_at: iso(row.updated_at),
});

type CreateBody = {
  url: string;
  event_types: string[];
  description: string;
  headers?: Record<string, string>;
  rate_limit?: number;
  ordering: Ordering;
};

// Allowed in an HTTP header: visible ASCII and spaces, no line break.
const headerValue = Joi.string()
  .max(1024)
  .pattern(/^[\x20-\x7e]*$/, 'header text')
  .allow('');
const headerName = Joi.string().pattern(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/);

export const createWebhookEndpoint = endpoint({
  method: 'post',
  path: base,
  operationId: 'webhooks.endpoints.create',
  tag,
  scope: 'webhooks:write',
  summary: 'Create a webhook endpoint',
  audit: 'webhook_endpoint',
  description: 'Events of the chosen types are POSTed to it, signed, and retried for three days.',
  isIdempotent: true,
  holdsSecret: true,
  body: Joi.object<CreateBody>({
    url: Joi.string().trim().max(2048).required().description('https; the address must be public'),
    event_types: Joi.array()
      .items(Joi.string().valid(...eventTypes))
      .min(1)
      .max(100)
      .required(),
    description: Joi.string().trim().max(500).allow('').default(''),
    headers: Joi.object().pattern(headerName, headerValue).max(20).description('Sent with every delivery'),
    rate_limit: Joi.number().strict().integer().min(1).max(1000).description('Deliveries a second at most'),
    ordering: Joi.string()
      .valid('best_effort', 'per_subject')
      .default('best_effort')
      .description('per_subject delivers the events of one conversation, contact or order in order'),
  }),
  responses: { 201: endpointView },
  example: { body: exampleBody },
  async handler({ body, write }, { config, secrets }) {
    const url = publicUrl(body.url, config.webhookAllowHttp, config.webhookAllowNetworks);
    const refused = Object.keys(body.headers ?? {}).find(forbiddenHeader);
    if (refused) throw invalidField(`headers.${refused}`, `The header ${refused} is set by the delivery itself`);
    const request = {
      url,
      eventTypes: body.event_types,
      description: body.description,
      headers: body.headers,
      rateLimit: body.rate_limit,
      ordering: body.ordering,
    };
    return write({}, async (tx) => {
      const row = await createEndpoint(tx, request, secrets);
      return { status: 201, body: toView(row) };
    });
  },
});

function publicUrl(text: string, allowHttp: boolean, allowNetworks: string[]): string {
  try {
    return checkUrl(text, { allowHttp, allowNetworks }).href;
  } catch (error) {
    throw invalidField('url', (error as Error).message);
  }
}

export const testWebhookEndpoint = endpoint({
  method: 'post',
  path: `${base}/:endpointID/test`,
  operationId: 'webhooks.endpoints.test',
  tag,
  scope: 'webhooks:write',
  summary: 'Send a test to a webhook endpoint',
  description: `Sent whatever the endpoint subscribes to, tried once. ${operationNote} The receiver's refusal is then a 422 \`endpoint_refused\`.`,
  subject: 'Webhook endpoint',
  isIdempotent: true,
  isOperation: true,
  refusedCode: 'endpoint_refused',
  responses: { 200: view(Joi.object({}), {}) },
  example: { params: { endpointID: exampleIds.webhookEndpoint } },
  handler({ params, write }) {
    const endpointId = params.endpointID;
    return write({ locks: [endpointLock(endpointId)] }, async (tx) => ({
      ...ok({}),
      operationId: await testEndpoint(tx.own, endpointId),
    }));
  },
});
