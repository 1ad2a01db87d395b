import Joi from 'joi';
import { changeDeal } from '../../src/deals/deal-tx.ts';
import { contactLinkOf, type LinkGiven, linkContact, unlinkContact } from '../../src/deals/links/contacts.ts';
import { dealsOfContact } from '../../src/deals/links/linked.ts';
import { contactRole } from '../../src/deals/schemas.ts';
import { actorOf } from '../../src/organizations/caller.ts';
import { endpoint } from '../http/endpoint.ts';
import { listOf, type PageQuery, pageQuery } from '../http/paging.ts';
import { aboutDeal, changeOneDeal, dealView, type Reading, reading, tag } from './deal-schemas.ts';
import { linkedReply } from './linked-deals.ts';

export const putDealContact = endpoint({
  ...aboutDeal,
  method: 'put',
  path: '/v1/crm/deals/:dealID/contacts/:contactID',
  operationId: 'crm.deals.contacts.put',
  scope: 'crm:write',
  summary: 'Link a contact to a deal, or change the link',
  description:
    'What is not given stays. The first contact of a deal is its primary one unless you say otherwise; a new primary one takes the place of the old one.',
  body: Joi.object<LinkGiven>({ role: contactRole, is_primary: Joi.boolean() }),
  responses: { 200: dealView },
  example: { body: { role: 'Buyer', is_primary: true } },
  handler: ({ params: { dealID, contactID }, body, caller, write }) =>
    changeOneDeal(
      { caller, write },
      { id: dealID },
      (tx) => linkContact(tx, contactID, body ?? {}),
      contactLinkOf(dealID, contactID),
    ),
});

export const deleteDealContact = endpoint({
  ...aboutDeal,
  method: 'delete',
  path: '/v1/crm/deals/:dealID/contacts/:contactID',
  operationId: 'crm.deals.contacts.delete',
  scope: 'crm:write',
  summary: 'Take a contact from a deal',
  description: 'In the place of the primary contact comes the oldest that is left.',
  responses: { 204: null },
  handler: ({ params: { dealID, contactID }, caller, write }) =>
    write(contactLinkOf(dealID, contactID), async ({ own: tx }) => {
      await changeDeal(tx, { id: dealID, actor: actorOf(caller) }, (deal) => unlinkContact(deal, contactID));
      return { status: 204 };
    }),
});

export const listOfContactDeals = endpoint({
  method: 'get',
  path: '/v1/contacts/:contactID/deals',
  operationId: 'contacts.deals.list',
  tag,
  subject: 'Contact',
  scope: 'crm:read',
  summary: 'List the deals of a contact, newest first',
  query: Joi.object<PageQuery & Reading>({ ...pageQuery, ...reading }),
  responses: { 200: listOf(dealView) },
  handler: ({ params, query, own }) =>
    linkedReply(own, ['contact_deals', params.contactID], query, (page) => dealsOfContact(own, params.contactID, page)),
});
