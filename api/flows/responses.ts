import Joi from 'joi';
import {
  listResponses,
  type ResponseFilter,
  type ResponseRow,
  readResponse,
  removeResponse,
  statsOf,
} from '../../src/flows/response-reads.ts';
import { exampleIdOf, exampleIds, exampleTime } from '../../src/platform/examples.ts';
import type { Ask } from '../../src/platform/listing/paging.ts';
import { endpoint, ok } from '../http/endpoint.ts';
import { listed, listOf, type PageQuery, pageQuery } from '../http/paging.ts';
import { id, iso, moment, timestamp } from '../http/schemas.ts';
import { view } from '../http/view.ts';
import { tag } from './schemas.ts';

const responseView = view(
  'flow_response',
  Joi.object({
    id: id.required(),
    flow_id: id.required(),
    message_id: id.required().description('The message that the answer came in'),
    sent_message_id: id.allow(null).required().description('The message that opened the flow'),
    contact_id: id.required().description('Who answered'),
    conversation_id: id.required(),
    channel_id: id.required(),
    response: Joi.any()
      .required()
      .description('What was answered: an object by the names of the fields, or a text when it is no JSON object'),
    answers: Joi.array()
      .items(
        Joi.object({
          id: Joi.string().allow('').required().description('The name of the field'),
          label: Joi.string().allow('').required().description('What the person was asked; else the name of the field'),
          value: Joi.any().required(),
          text: Joi.string().allow('').required().description('What the person chose, in the words of the options'),
        }),
      )
      .required()
      .description('The same, in the words of the version that was sent; empty when it is malformed'),
    is_malformed: Joi.boolean().required().description('It is no JSON object'),
    client_token: Joi.string().allow(null).required().description('The `flow_token` of the message that opened the flow'),
    received_at: timestamp.required(),
  }),
  {
    id: exampleIdOf('response'),
    flow_id: exampleIdOf('flow'),
    message_id: exampleIds.message,
    sent_message_id: exampleIdOf('sentMessage'),
    contact_id: exampleIds.contact,
    conversation_id: exampleIds.conversation,
    channel_id: exampleIds.channel,
    response: { day: 'mon', flow_token: 'booking-4711' },
    answers: [{ id: 'day', label: 'Which day suits you?', value: 'mon', text: 'Monday' }],
    is_malformed: false,
    client_token: 'booking-4711',
    received_at: exampleTime,
  },
);

const toView = ({ created_at, ...row }: ResponseRow) => ({ ...row, received_at: iso(created_at) });

type ListQuery = PageQuery & { contact_id?: string; since?: string; until?: string; malformed?: boolean };

export const listOfResponses = endpoint({
  method: 'get',
  path: '/v1/flows/:flowID/responses',
  operationId: 'flows.responses.list',
  tag,
  scope: 'flows:read',
  summary: 'List what people answered, newest first',
  subject: 'Flow',
  query: Joi.object<ListQuery>({
    ...pageQuery,
    contact_id: id,
    since: moment.description('Received at this time or later'),
    until: moment.description('Received before this time'),
    malformed: Joi.boolean().description('Only answers that are no JSON object, or only others'),
  }),
  responses: { 200: listOf(responseView) },
  handler({ params: { flowID }, query, own }, { reads }) {
    const { contact_id: contactId, since, until, malformed: isMalformed } = query;
    const filter: ResponseFilter = { contactId, since, until, isMalformed };
    const read = (ask: Ask) =>
      listed('flow_responses', { flowID, ...filter }, query, (page) => listResponses(own, ask, flowID, filter, page), toView);
    return query.include_total ? reads.dear(own.organizationId, read) : read(reads.plain);
  },
});

const aboutResponse = { tag, subject: 'Response' };

export const getResponse = endpoint({
  ...aboutResponse,
  method: 'get',
  path: '/v1/flows/:flowID/responses/:responseID',
  operationId: 'flows.responses.get',
  scope: 'flows:read',
  summary: 'Get one answer',
  responses: { 200: responseView },
  handler: async ({ params, own }) => ok(toView(await readResponse(own, { flowId: params.flowID, id: params.responseID }))),
});

export const deleteResponse = endpoint({
  ...aboutResponse,
  method: 'delete',
  path: '/v1/flows/:flowID/responses/:responseID',
  operationId: 'flows.responses.delete',
  scope: 'flows:write',
  summary: 'Delete an answer',
  description: 'The message it came in stays in its conversation; the counts of the flow stay as they are.',
  audit: 'flow_response',
  responses: { 204: null },
  handler: ({ params, write }) =>
    write({}, async (tx) => {
      await removeResponse(tx.own, { flowId: params.flowID, id: params.responseID });
      return { status: 204, audit: { subject: `flow_response:${params.responseID}` } };
    }),
});

const count = Joi.number().integer().required();

const statsView = view(
  'flow_stats',
  Joi.object({
    sent: count.description('Messages with this flow that the provider has taken'),
    delivered: count,
    read: count,
    responded: count.description('Messages that were answered at least once'),
  }),
  { sent: 120, delivered: 118, read: 95, responded: 61 },
);

export const statsOfFlow = endpoint({
  method: 'get',
  path: '/v1/flows/:flowID/stats',
  operationId: 'flows.stats',
  tag,
  scope: 'flows:read',
  summary: 'Count the messages with a flow, and their answers',
  subject: 'Flow',
  responses: { 200: statsView },
  handler: ({ params, own }, { reads }) =>
    reads.dear(own.organizationId, async (ask) => ok(await statsOf(own, ask, params.flowID))),
});
