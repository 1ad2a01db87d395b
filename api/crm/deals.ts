import Joi from 'joi';
import { deleteDeal, restoreDeal } from '../../src/deals/bin.ts';
import { createDeal, creationOf } from '../../src/deals/create.ts';
import { dealWrite, getDeal } from '../../src/deals/deal-row.ts';
import type { NewDeal } from '../../src/deals/new-deal.ts';
import { type DealPatch, patchDeal } from '../../src/deals/patch.ts';
import { dealPatchFields, newDealFields } from '../../src/deals/schemas.ts';
import { actorOf } from '../../src/organizations/caller.ts';
import { endpoint } from '../http/endpoint.ts';
import { id } from '../http/schemas.ts';
import { aboutDeal, changeOneDeal, createdReply, dealReply, dealView, type Reading, reading, revision } from './deal-schemas.ts';

export const createOneDeal = endpoint({
  method: 'post',
  path: '/v1/crm/deals',
  operationId: 'crm.deals.create',
  tag: aboutDeal.tag,
  scope: 'crm:write',
  summary: 'Create a deal',
  description:
    'In the stage given, or the first open one of the default pipeline; an organization without pipelines has deals without a stage. With `source_conversation_id` the deal is linked to that conversation and its contact.',
  isIdempotent: true,
  body: Joi.object<NewDeal>({
    ...newDealFields,
    title: newDealFields.title.required(),
    source_conversation_id: id.allow(null),
  }),
  responses: { 201: dealView },
  example: {
    body: { title: 'Renewal for 40 seats', amount_minor: '125000', currency_code: 'EUR', expected_close_at: '2026-12-31' },
  },
  handler: ({ body, caller, own, write }) =>
    write(creationOf(own, body), async ({ own: tx }, seen) =>
      createdReply(createDeal(tx, actorOf(caller), body, seen), seen.display),
    ),
});

export const getOneDeal = endpoint({
  ...aboutDeal,
  method: 'get',
  path: '/v1/crm/deals/:dealID',
  operationId: 'crm.deals.get',
  scope: 'crm:read',
  summary: 'Get one deal',
  query: Joi.object<Reading>(reading),
  responses: { 200: dealView },
  handler: async ({ params, query, own }) => dealReply(own, await getDeal(own, params.dealID), query.display_currency),
});

export const patchOneDeal = endpoint({
  ...aboutDeal,
  method: 'patch',
  path: '/v1/crm/deals/:dealID',
  operationId: 'crm.deals.update',
  scope: 'crm:write',
  summary: 'Change a deal',
  description:
    'What is not given stays. A new currency needs its `amount_minor`, unless the stored amount is 0. A new amount or currency is converted to the home currency at the rate of this moment. Stages are changed by `move`, `win`, `lose` and `reopen`.',
  errors: [409],
  body: Joi.object<DealPatch & { revision?: number }>({ ...dealPatchFields, revision }).min(1),
  responses: { 200: dealView },
  example: { body: { title: 'Renewal for 45 seats', amount_minor: '140000' } },
  handler: ({ params, body: { revision, ...patch }, caller, write }) =>
    changeOneDeal({ caller, write }, { id: params.dealID, revision }, (tx) => patchDeal(tx, patch)),
});

export const deleteOneDeal = endpoint({
  ...aboutDeal,
  method: 'delete',
  path: '/v1/crm/deals/:dealID',
  operationId: 'crm.deals.delete',
  scope: 'crm:write',
  summary: 'Put a deal into the bin',
  description:
    'No list shows it any more. It can be restored until the bin is emptied, after 30 days unless the operator says otherwise.',
  responses: { 204: null },
  handler: ({ params: { dealID }, caller, write }) =>
    write(dealWrite(dealID), async ({ own: tx }) => {
      await deleteDeal(tx, { id: dealID, actor: actorOf(caller) });
      return { status: 204 };
    }),
});

export const restoreOneDeal = endpoint({
  ...aboutDeal,
  method: 'post',
  path: '/v1/crm/deals/:dealID/restore',
  operationId: 'crm.deals.restore',
  scope: 'crm:write',
  summary: 'Take a deal out of the bin',
  description: 'With its links, in the stage it was in. A deal that is not in the bin stays as it is.',
  responses: { 200: dealView },
  handler: ({ params: { dealID }, caller, write }) =>
    write(dealWrite(dealID), async ({ own: tx }) => dealReply(tx, await restoreDeal(tx, { id: dealID, actor: actorOf(caller) }))),
});
