import Joi from 'joi';
import { type Clone, cloneFlow } from '../../src/flows/create.ts';
import { actorOf } from '../../src/organizations/caller.ts';
import { endpoint } from '../http/endpoint.ts';
import { id } from '../http/schemas.ts';
import { aboutFlow, flowReply, flowView, name } from './schemas.ts';

export const cloneOneFlow = endpoint({
  ...aboutFlow,
  method: 'post',
  path: '/v1/flows/:flowID/clone',
  operationId: 'flows.clone',
  scope: 'flows:write',
  summary: 'Make a new draft of the document of a flow',
  description:
    'The draft stands here alone, with the category and the `data_exchange` of the flow. Without `channel_id` it has the same channel; null leaves it without one.',
  audit: 'flow',
  isIdempotent: true,
  body: Joi.object<Clone>({ name: name.required(), channel_id: id.allow(null) }),
  responses: { 201: flowView },
  location: '/v1/flows',
  errors: [409],
  example: { body: { name: 'Booking, second try' } },
  handler: ({ params, body, caller, write }, { secrets }) =>
    write({}, async ({ own }) => {
      const made = await cloneFlow(own, actorOf(caller), params.flowID, body);
      return { ...flowReply(made, secrets, 201), audit: { details: { clone: made.id } } };
    }),
});
