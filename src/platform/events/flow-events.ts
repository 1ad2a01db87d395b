import Joi from 'joi';
import { exampleIdOf, exampleIds as ids } from '../examples.ts';
import { type EventContract, event } from './event.ts';

const id = (description: string) => Joi.string().required().description(description);
const idOrNull = (description: string) => Joi.string().allow(null).required().description(description);
const organization = { organization_id: id('Its organization') };

const flow = exampleIdOf('flow');
const flowSubject = { type: 'flow', id: 'flow_id' as const };

export const flowStatusUpdate = event({
  type: 'flow.status_update',
  description: 'The status of a flow changed: something was asked here, or the provider decided it',
  subject: flowSubject,
  data: Joi.object({
    flow_id: id('The flow'),
    status: id('draft, published, deprecated, blocked, throttled'),
    previous_status: id('The status before'),
    channel_id: idOrNull('Its channel'),
    ...organization,
  }),
  example: {
    flow_id: flow,
    status: 'published',
    previous_status: 'draft',
    channel_id: ids.channel,
    organization_id: ids.organization,
  },
});

export const flowResponseReceived = event({
  type: 'flow.response_received',
  description: 'A person answered a flow',
  subject: { type: 'conversation', id: 'conversation_id' as const },
  data: Joi.object({
    response_id: id('The response'),
    flow_id: idOrNull('The flow; null: no message is known that it answers'),
    message_id: id('The message that the answer came in'),
    conversation_id: id('Its conversation'),
    contact_id: id('Who answered'),
    channel_id: id('Its channel'),
    ...organization,
    client_token: Joi.string()
      .allow(null, '')
      .required()
      .description('The `flow_token` of the message that was answered; null: it had none; empty: the contact was erased'),
    response: Joi.any()
      .required()
      .description(
        'What was answered: an object by the names of the fields, or a text when it is no JSON object; empty once the contact is erased',
      ),
  }),
  example: {
    response_id: exampleIdOf('response'),
    flow_id: flow,
    message_id: ids.message,
    conversation_id: ids.conversation,
    contact_id: ids.contact,
    channel_id: ids.channel,
    organization_id: ids.organization,
    client_token: 'booking-4711',
    response: { name: 'Sheena Nelson', day: '2026-12-01' },
  },
});

export const flowAlert = event({
  type: 'flow.alert',
  description: 'The provider warns about a flow: its endpoint fails or is slow, or its version expires',
  subject: flowSubject,
  data: Joi.object({
    flow_id: id('The flow'),
    kind: id('client_error_rate, endpoint_error_rate, endpoint_latency, endpoint_availability, version_expiry; more may come'),
    state: id('activated, deactivated; a warning about an expiry is never taken back'),
    ...organization,
  }),
  example: { flow_id: flow, kind: 'endpoint_error_rate', state: 'activated', organization_id: ids.organization },
});

export const flowEvents = [flowStatusUpdate, flowResponseReceived, flowAlert] as unknown as EventContract[];
