import Joi from 'joi';
import { type ToldEvent, tellEvent } from '../../src/automation/api-event.ts';
import { maxApiEventBytes } from '../../src/automation/limits.ts';
import { contactLock } from '../../src/contacts/events.ts';
import { exampleIds } from '../../src/platform/examples.ts';
import { endpoint } from '../http/endpoint.ts';
import { id } from '../http/schemas.ts';
import { view } from '../http/view.ts';
import { path, tag } from './automation-schemas.ts';

const maxNames = 200;
const unsafe = ['__proto__', 'constructor', 'prototype'];

const data = Joi.object()
  .unknown()
  .max(maxNames)
  .custom((given: object, { error }) => {
    if (Object.keys(given).some((name) => unsafe.includes(name))) return error('data.reserved');
    return Buffer.byteLength(JSON.stringify(given)) > maxApiEventBytes ? error('data.size') : given;
  })
  .messages({
    'data.reserved': `{{#label}} must not have a field named ${unsafe.join(', ')}`,
    'data.size': `{{#label}} must not be larger than ${maxApiEventBytes} bytes as JSON`,
  })
  .default({})
  .description('Anything, at most 16 kB: conditions and texts read it as `event.data.<name>`');

export const eventName = Joi.string()
  .trim()
  .min(1)
  .max(100)
  .pattern(/^[\w.:-]+$/)
  .messages({ 'string.pattern.base': '{{#label}} must be of letters, digits and `_ . : -`' })
  .description('What happened, such as `trial_started`: rules with the trigger `api` of this name begin');

export const tellOneEvent = endpoint({
  tag,
  subject: 'Contact',
  audit: 'event',
  method: 'post',
  path: `${path}/events`,
  operationId: 'automation.events.create',
  scope: 'automation:trigger',
  summary: 'Tell what happened in a system of yours',
  description:
    'An event `automation.event` about the contact: it begins the rules whose trigger has this name, goes to the webhook endpoints that subscribe to it, and is listed among the events. With an `Idempotency-Key` it is told once. Needs `automation:trigger`, as every way to start a rule: what the rule then does needs no scope of the caller.',
  isIdempotent: true,
  body: Joi.object<ToldEvent>({
    name: eventName.required(),
    contact_id: id.required().description('The contact it is about'),
    data,
  }),
  responses: { 202: view(Joi.object({ id: id.required().description('Of the event') }), { id: exampleIds.event }) },
  errors: [404],
  example: { body: { name: 'trial_started', contact_id: exampleIds.contact, data: { plan: 'pro' } } },
  handler: ({ body, write }) =>
    write({ locks: [contactLock(body.contact_id)] }, async ({ own }) => ({
      status: 202,
      body: { id: await tellEvent(own, body) },
    })),
});
