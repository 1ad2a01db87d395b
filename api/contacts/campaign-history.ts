import Joi from 'joi';
import { assertContact } from '../../src/contacts/queries.ts';
import { endpoint } from '../http/endpoint.ts';
import { listed, listOf, type PageQuery, pageQuery } from '../http/paging.ts';
import { view, withExample } from '../http/view.ts';
import { aboutContact } from './schemas.ts';

const text = Joi.string().allow('').required();
const campaignHistoryItem = view(
  Joi.object({
    campaign_id: text,
    campaign_name: text,
    campaign_status: text,
    created_at: text,
    recipient_status: text,
    delivered_at: text,
    failed_at: text,
    sent_at: text,
  }),
  {},
);

export const campaignHistory = endpoint({
  ...aboutContact,
  method: 'get',
  path: '/v1/contacts/:contactID/campaign-history',
  operationId: 'contacts.campaign-history',
  scope: 'contacts:read',
  summary: 'List the campaigns a contact was part of',
  description:
    'Empty for everybody as long as there are no campaigns. Afterwards an item a campaign; what has not happened is an empty text.',
  query: Joi.object<PageQuery>(pageQuery),
  responses: { 200: withExample(listOf(campaignHistoryItem), { items: [] }) },
  handler: async ({ params, query, own }) => {
    await assertContact(own, params.contactID);
    return listed(
      'campaign-history',
      params,
      query,
      async () => ({ rows: [], total: 0 }),
      (row) => row,
    );
  },
});
