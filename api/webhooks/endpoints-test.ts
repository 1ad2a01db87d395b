import Joi from 'joi';
import { eventTypes } from '../../src/platform/events/catalogue.ts';
import { webhookTest } from '../../src/platform/events/endpoint-events.ts';
import { endpointLock } from '../../src/webhooks/endpoints.ts';
import { testEndpoint } from '../../src/webhooks/test-endpoint.ts';
import { endpoint, ok } from '../http/endpoint.ts';
import { operationNote } from '../http/schemas.ts';
import { view } from '../http/view.ts';
import { aboutEndpoint, base } from './endpoint-schemas.ts';

export const testWebhookEndpoint = endpoint({
  ...aboutEndpoint,
  method: 'post',
  path: `${base}/:endpointID/test`,
  operationId: 'webhooks.endpoints.test',
  scope: 'webhooks:write',
  summary: 'Send a test to a webhook endpoint',
  description: `Sent whatever the endpoint subscribes to, tried once. With a \`type\` it is that event as the documentation shows it, with its example's ids; in the list of events it is a \`${webhookTest.type}\` all the same. ${operationNote} The receiver's refusal is then a 422 \`endpoint_refused\`.`,
  isIdempotent: true,
  isOperation: true,
  refusedCode: 'endpoint_refused',
  body: Joi.object<{ type: string } | undefined>({
    type: Joi.string()
      .valid(...eventTypes)
      .default(webhookTest.type)
      .description('The event to send'),
  }),
  responses: { 200: view(Joi.object({}), {}) },
  example: { body: { type: 'message.new' } },
  handler: ({ params: { endpointID: id }, body, write }) =>
    write({ locks: [endpointLock(id)] }, async ({ own }) => ({
      ...ok({}),
      operationId: await testEndpoint(own, id, body?.type),
    })),
});
