import Joi from 'joi';
import { catalogue } from '../../../src/platform/events/catalogue.ts';
import type { EventContract } from '../../../src/platform/events/event.ts';
import { exampleIds, exampleTime } from '../../../src/platform/examples.ts';
import { type Json, schemaOf } from './json-schema.ts';

const header = (name: string, description: string, example: string) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
  example,
});

/** Signed after Standard Webhooks. */
const signature = [
  header('webhook-id', "The event's id, the same on every attempt", exampleIds.event),
  header('webhook-timestamp', 'When this attempt was made, seconds of the epoch', '1795255200'),
  header(
    'webhook-signature',
    'Space-separated `v1,<base64>` over id, timestamp and body',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ),
];

const envelopeOf = ({ type, data }: EventContract) =>
  Joi.object({
    id: Joi.string().guid().required(),
    type: Joi.string().valid(type).required(),
    timestamp: Joi.string().isoDate().required().description('When it happened'),
    organization_id: Joi.string().guid().required(),
    data: data.required(),
  });

/** The body of a delivery, as the document and the catalogue of types show it. */
export const deliveredAs = (event: EventContract): { schema: Json; example: Json } => ({
  schema: schemaOf(envelopeOf(event), 'output'),
  example: {
    id: exampleIds.event,
    type: event.type,
    timestamp: exampleTime,
    organization_id: exampleIds.organization,
    data: event.example,
  },
});

const webhookOf = (event: EventContract): Json => ({
  post: {
    operationId: `event.${event.type}`,
    summary: event.description,
    security: [],
    parameters: signature,
    requestBody: {
      required: true,
      content: {
        'application/json': deliveredAs(event),
      },
    },
    responses: { '2XX': { description: 'Taken; anything else is tried again' } },
  },
});

/** The events of the catalogue, as an endpoint receives them. */
export const webhooksOf = (): Json => Object.fromEntries(catalogue.map((event) => [event.type, webhookOf(event)]));
