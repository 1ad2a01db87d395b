import Joi from 'joi';
import { createDeal, creationOf } from '../../src/deals/create.ts';
import { dealWrite } from '../../src/deals/deal-row.ts';
import { changeDeal } from '../../src/deals/deal-tx.ts';
import { linkConversation, listConversationsOf, unlinkConversation } from '../../src/deals/links/conversations.ts';
import { dealsOfConversation } from '../../src/deals/links/linked.ts';
import type { NewDeal } from '../../src/deals/new-deal.ts';
import { newDealFields } from '../../src/deals/schemas.ts';
import { findBrief } from '../../src/messaging/inbox/conversation-row.ts';
import { actorOf } from '../../src/organizations/caller.ts';
import { exampleIds, exampleTime } from '../../src/platform/examples.ts';
import { endpoint } from '../http/endpoint.ts';
import { listed, listOf, type PageQuery, pageQuery } from '../http/paging.ts';
import { id, iso, timestamp } from '../http/schemas.ts';
import { view } from '../http/view.ts';
import { aboutDeal, changeOneDeal, createdReply, dealView, type Reading, reading, tag } from './deal-schemas.ts';
import { linkedReply } from './linked-deals.ts';

const aboutConversation = { tag, subject: 'Conversation' };

export const listOfConversationDeals = endpoint({
  ...aboutConversation,
  method: 'get',
  path: '/v1/conversations/:conversationID/deals',
  operationId: 'conversations.deals.list',
  scope: 'crm:read',
  summary: 'List the deals of a conversation, newest first',
  query: Joi.object<PageQuery & Reading>({ ...pageQuery, ...reading }),
  responses: { 200: listOf(dealView) },
  handler: ({ params, query, own }) =>
    linkedReply(own, ['conversation_deals', params.conversationID], query, (page) =>
      dealsOfConversation(own, params.conversationID, page),
    ),
});

type Given = NewDeal & { deal_id?: string };
const others = Object.keys(newDealFields);

export const addConversationDeal = endpoint({
  ...aboutConversation,
  method: 'post',
  path: '/v1/conversations/:conversationID/deals',
  operationId: 'conversations.deals.create',
  scope: 'crm:write',
  summary: 'Link a deal to a conversation, or create one there',
  description:
    '`deal_id` alone links a deal: 200, also when it is linked already. Else a deal is created as by `POST /v1/crm/deals`, whose source is the conversation, with its contact: 201.',
  isIdempotent: true,
  body: Joi.object<Given>({ ...newDealFields, deal_id: id })
    .xor('deal_id', 'title')
    .without('deal_id', others),
  responses: { 200: dealView, 201: dealView },
  location: '/v1/crm/deals',
  example: { body: { title: 'Renewal for 40 seats', amount_minor: '125000', currency_code: 'EUR' } },
  async handler({ params: { conversationID }, body: { deal_id, ...given }, caller, own, write }) {
    await findBrief(own, conversationID);
    if (deal_id !== undefined)
      return changeOneDeal({ caller, write }, { id: deal_id, isInBody: true }, (tx) => linkConversation(tx, conversationID));
    const deal = { ...given, source_conversation_id: conversationID };
    return write(creationOf(own, deal), async ({ own: tx }, seen) =>
      createdReply(createDeal(tx, actorOf(caller), deal, seen), seen.display),
    );
  },
});

export const removeConversationDeal = endpoint({
  ...aboutDeal,
  method: 'delete',
  path: '/v1/conversations/:conversationID/deals/:dealID',
  operationId: 'conversations.deals.delete',
  scope: 'crm:write',
  summary: 'Take a deal from a conversation',
  description: 'The deal stays.',
  responses: { 204: null },
  handler: ({ params: { conversationID, dealID }, caller, write }) =>
    write(dealWrite(dealID), async ({ own: tx }) => {
      await changeDeal(tx, { id: dealID, actor: actorOf(caller) }, (deal) => unlinkConversation(deal, conversationID));
      return { status: 204 };
    }),
});

export const putDealConversation = endpoint({
  ...aboutDeal,
  method: 'put',
  path: '/v1/crm/deals/:dealID/conversations/:conversationID',
  operationId: 'crm.deals.conversations.put',
  scope: 'crm:write',
  summary: 'Link a conversation to a deal',
  responses: { 200: dealView },
  handler: ({ params: { dealID, conversationID }, caller, write }) =>
    changeOneDeal({ caller, write }, { id: dealID }, (tx) => linkConversation(tx, conversationID)),
});

export const deleteDealConversation = endpoint({
  ...aboutDeal,
  method: 'delete',
  path: '/v1/crm/deals/:dealID/conversations/:conversationID',
  operationId: 'crm.deals.conversations.delete',
  scope: 'crm:write',
  summary: 'Take a conversation from a deal',
  responses: { 204: null },
  handler: ({ params: { dealID, conversationID }, caller, write }) =>
    write(dealWrite(dealID), async ({ own: tx }) => {
      await changeDeal(tx, { id: dealID, actor: actorOf(caller) }, (deal) => unlinkConversation(deal, conversationID));
      return { status: 204 };
    }),
});

const linkView = view(
  'deal_conversation',
  Joi.object({
    id: id.required().description('Of the conversation'),
    created_at: timestamp.required().description('When it was linked'),
  }),
  { id: exampleIds.conversation, created_at: exampleTime },
);

export const listOfDealConversations = endpoint({
  ...aboutDeal,
  method: 'get',
  path: '/v1/crm/deals/:dealID/conversations',
  operationId: 'crm.deals.conversations.list',
  scope: 'crm:read',
  summary: 'List the conversations of a deal, last linked first',
  query: Joi.object<PageQuery>(pageQuery),
  responses: { 200: listOf(linkView) },
  handler: ({ params, query, own }) =>
    listed(
      'deal_conversations',
      params,
      query,
      (page) => listConversationsOf(own, params.dealID, page),
      ({ id: conversationId, created_at }) => ({ id: conversationId, created_at: iso(created_at) }),
    ),
});
