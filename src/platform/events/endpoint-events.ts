import Joi from 'joi';
import { exampleIds as ids } from '../examples.ts';
import { event } from './event.ts';

const id = (description: string) => Joi.string().required().description(description);
const endpointSubject = { type: 'webhook_endpoint', id: 'endpoint_id' as const };
export const webhookTest = event({
  type: 'webhook.test',
  description: 'A test, sent because somebody asked for one',
  subject: endpointSubject,
  data: Joi.object({ endpoint_id: id('The endpoint tested'), organization_id: id('Its organization') }),
  example: { endpoint_id: ids.webhookEndpoint, organization_id: ids.organization },
});

export const endpointDisabled = event({
  type: 'endpoint.disabled',
  description: 'A webhook endpoint was disabled; goes to the other endpoints',
  subject: endpointSubject,
  data: Joi.object({
    endpoint_id: id('The endpoint'),
    reason: id('Why: gone (410), failing (days of nothing but failures) or manual (somebody asked for it)'),
    organization_id: id('Its organization'),
  }),
  example: { endpoint_id: ids.webhookEndpoint, reason: 'gone', organization_id: ids.organization },
});

export const endpointFailing = event({
  type: 'endpoint.failing',
  description:
    'A webhook endpoint has had nothing but failures for a day; goes to the other endpoints, once until it recovers or has had nothing to send for a day',
  subject: endpointSubject,
  data: Joi.object({
    endpoint_id: id('The endpoint'),
    failing_since: id('The first failure since its last success'),
    disable_at: id('A failure from this time on disables it, if nothing succeeds before'),
    organization_id: id('Its organization'),
  }),
  example: {
    endpoint_id: ids.webhookEndpoint,
    failing_since: '2026-11-20T10:00:00.000Z',
    disable_at: '2026-11-25T10:00:00.000Z',
    organization_id: ids.organization,
  },
});

export const endpointRecovered = event({
  type: 'endpoint.recovered',
  description: 'A delivery succeeded to a webhook endpoint that was told as failing; goes to the other endpoints',
  subject: endpointSubject,
  data: Joi.object({
    endpoint_id: id('The endpoint'),
    failing_since: id('The first of the failures'),
    organization_id: id('Its organization'),
  }),
  example: {
    endpoint_id: ids.webhookEndpoint,
    failing_since: '2026-11-20T10:00:00.000Z',
    organization_id: ids.organization,
  },
});
