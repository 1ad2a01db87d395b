import Joi from 'joi';
import { askOfFlow } from '../../src/flows/ask.ts';
import { createFlow, maxFlows, type NewFlow } from '../../src/flows/create.ts';
import { flowLock, getFlow } from '../../src/flows/flow-row.ts';
import { flowFields, listFlows, readFlowListing } from '../../src/flows/list.ts';
import { type FlowPatch, patchFlow } from '../../src/flows/patch.ts';
import { actorOf } from '../../src/organizations/caller.ts';
import { endpoint, ok } from '../http/endpoint.ts';
import { type ListQuery, listQuery, pageOfListing } from '../http/listing.ts';
import { listOf } from '../http/paging.ts';
import { id, operationNote } from '../http/schemas.ts';
import { changedDataExchange, checkedDataExchange, newDataExchange } from './data-exchange.ts';
import * as part from './schemas.ts';

const { aboutFlow, flowReply, flowView } = part;

export const listOfFlows = endpoint({
  ...aboutFlow,
  method: 'get',
  path: '/v1/flows',
  operationId: 'flows.list',
  scope: 'flows:read',
  summary: 'List flows, without their documents',
  query: Joi.object<ListQuery>(listQuery(flowFields)),
  responses: { 200: listOf(part.flowSummaryView) },
  example: { query: { filters: '[{"field":"status","value":"published"}]', sort: '-updated_at' } },
  async handler({ query, own }, { reads, secrets }) {
    const listing = readFlowListing(query);
    const { rows: items, meta } = await pageOfListing(
      listing,
      query,
      (page) => listFlows(reads, own.organizationId, listing, page),
      (row) => part.toSummaryView(row, secrets),
    );
    return ok({ items, meta });
  },
});

export const createOneFlow = endpoint({
  ...aboutFlow,
  method: 'post',
  path: '/v1/flows',
  operationId: 'flows.create',
  scope: 'flows:write',
  summary: 'Create a flow, as a draft that the provider does not have yet',
  description: `\`builder_json\` in mode visual is compiled to the provider's document; \`flow_json\` is a document of your own, up to 1 MiB here and 10 MiB by PUT. A draft with faults is saved and shows them. Its name must be free in the account of its channel. An organization has at most ${maxFlows} flows.`,
  audit: 'flow',
  isIdempotent: true,
  body: Joi.object<NewFlow>({
    name: part.name.required(),
    category: part.category.required(),
    channel_id: id.allow(null).description('On whose account it will stand; it may follow later'),
    builder_json: part.builderJson,
    flow_json: part.flowJson,
    json_version: part.jsonVersion,
    data_exchange: newDataExchange,
  }).or('builder_json', 'flow_json'),
  responses: { 201: flowView },
  errors: [404, 409],
  example: { body: part.exampleFlow },
  handler({ body, caller, write }, { config, secrets }) {
    const given = { ...body, data_exchange: checkedDataExchange(body.data_exchange, config) };
    return write({}, async ({ own }) => flowReply(await createFlow(own, actorOf(caller), given, secrets), secrets, 201));
  },
});

export const getOneFlow = endpoint({
  ...aboutFlow,
  method: 'get',
  path: '/v1/flows/:flowID',
  operationId: 'flows.get',
  scope: 'flows:read',
  summary: 'Get one flow with its documents',
  responses: { 200: flowView },
  handler: async ({ params, own }, { secrets }) => flowReply(await getFlow(own, params.flowID), secrets),
});

export const patchOneFlow = endpoint({
  ...aboutFlow,
  method: 'patch',
  path: '/v1/flows/:flowID',
  operationId: 'flows.update',
  scope: 'flows:write',
  summary: 'Change a flow',
  description:
    'What is not given stays. What the provider has stays until a push: `has_local_changes` says that they differ. With `revision` it is changed only if nobody has changed it since. In mode visual `flow_json` is made of the screens and cannot be given; `builder_json` in mode json, alone or with `flow_json`, makes the document your own. A flow that the provider has moves only to a channel of the same account. Of a deprecated flow only `data_exchange` can be changed.',
  audit: 'flow',
  body: Joi.object<FlowPatch>({
    name: part.name,
    category: part.category,
    channel_id: id.allow(null),
    builder_json: part.builderJson,
    flow_json: part.flowJson,
    json_version: part.jsonVersion,
    data_exchange: changedDataExchange,
    revision: part.revision,
  }).min(1),
  responses: { 200: flowView },
  errors: [409],
  example: { body: { name: 'Booking, lunch', revision: 1 } },
  handler({ params, body, caller, write }, { config, secrets }) {
    const patch = { ...body, data_exchange: checkedDataExchange(body.data_exchange, config) };
    return write({ locks: [flowLock(params.flowID)] }, async ({ own }) => ({
      ...flowReply(
        await patchFlow(own, { id: params.flowID, actor: actorOf(caller) }, patch, { secrets, bound: config }),
        secrets,
      ),
      audit: { details: { changed: Object.keys(body).filter((field) => field !== 'revision') } },
    }));
  },
});

export const deleteOneFlow = endpoint({
  ...aboutFlow,
  method: 'delete',
  path: '/v1/flows/:flowID',
  operationId: 'flows.delete',
  scope: 'flows:write',
  summary: 'Delete a draft',
  description: `What people answered stays, without the flow. One that the provider has is not shown any more at once, and a worker deletes it there; if the provider refuses, it is shown again, with the reason in \`failure\`. A draft whose channel was deleted goes here alone, and so does a flow of any status once its account has no channel left; the provider keeps it. ${operationNote}`,
  audit: 'flow',
  isOperation: true,
  responses: { 204: null },
  errors: [409],
  handler: ({ params, write }) =>
    write({ locks: [flowLock(params.flowID)] }, async ({ own }) => {
      const { operationId } = await askOfFlow(own, params.flowID, { work: 'delete' });
      return { status: 204, ...(operationId && { operationId }) };
    }),
  outcome: async () => ({ status: 204 }),
});
