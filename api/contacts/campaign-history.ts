import Joi from 'joi';
import { assertContact } from '../../src/contacts/queries.ts';
import { endpoint } from '../http/endpoint.ts';
import { listed, listOf, type PageQuery, pageQuery } from '../http/paging.ts';
import { aboutContact, contactParams, exampleMeta } from './schemas.ts';

const text = Joi.string().allow('').required();
const campaignHistoryItem = Joi.object({
  campaign_id: text,
  campaign_name: text,
  campaign_status: text,
  created_at: text,
  recipient_status: text,
  delivered_at: text,
  failed_at: text,
  sent_at: text,
});

export const campaignHistory = endpoint<unknown, PageQuery>({
  ...aboutContact,
  method: 'get',
  path: '/v1/contacts/:contactID/campaign-history',
  operationId: 'contacts.campaign-history',
  scope: 'contacts:read',
  summary: 'List the campaigns a contact was part of',
  description:
    'Empty for everybody as long as there are no campaigns. Afterwards an item a campaign; what has not happened is an empty text.',
  query: Joi.object(pageQuery),
  responses: { 200: listOf(campaignHistoryItem) },
  errors: [400, 401, 403, 404, 422],
  example: { params: contactParams, reply: { items: [], meta: exampleMeta } },
  handler: async ({ params, query, own }) => {
    await assertContact(own, params.contactID!);
    return listed(
      'campaign-history',
      params,
      query,
      async () => ({ rows: [], total: 0 }),
      (row) => row,
    );
  },
});
