import Joi from 'joi';
import { assertContact } from '../../src/contacts/queries.ts';
import { listConversations, readConversationListing } from '../../src/messaging/inbox/list.ts';
import { endpoint } from '../http/endpoint.ts';
import { pageOfListing } from '../http/listing.ts';
import { dataList, type PageQuery, pageQuery } from '../http/paging.ts';
import { conversationView, toConversationView } from '../messaging/conversation-schemas.ts';
import { aboutContact } from './schemas.ts';

export const listOfContactConversations = endpoint({
  ...aboutContact,
  method: 'get',
  path: '/v1/contacts/:contactID/conversations',
  operationId: 'contacts.conversations.list',
  scope: 'conversations:read',
  summary: 'List the conversations of a contact, one for each channel',
  description: 'The one with the last activity comes first.',
  query: Joi.object<PageQuery>(pageQuery),
  responses: { 200: dataList(conversationView) },
  async handler({ params, query, own }, { reads }) {
    await assertContact(own, params.contactID);
    const listing = readConversationListing({ filters: JSON.stringify([{ field: 'contact_id', value: params.contactID }]) });
    const read = (page: Parameters<typeof listConversations>[3]) => listConversations(reads, own.organizationId, listing, page);
    const { rows: data, meta } = await pageOfListing(listing, query, read, toConversationView);
    return { status: 200, body: { data, meta } };
  },
});
