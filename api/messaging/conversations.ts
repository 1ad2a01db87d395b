import Joi from 'joi';
import { getConversation } from '../../src/messaging/inbox/conversation-row.ts';
import {
  conversationFields,
  countByStatus,
  listConversations,
  readConversationListing,
  usualOrder,
} from '../../src/messaging/inbox/list.ts';
import { type ConversationPatch, patchConversation } from '../../src/messaging/inbox/patch.ts';
import { markRead } from '../../src/messaging/inbox/read.ts';
import { conversationPatchFields } from '../../src/messaging/inbox/schemas.ts';
import { exampleIds } from '../../src/platform/examples.ts';
import { endpoint, ok } from '../http/endpoint.ts';
import { type ListQuery, listQuery, pageOfListing } from '../http/listing.ts';
import { listOf } from '../http/paging.ts';
import { id } from '../http/schemas.ts';
import { view } from '../http/view.ts';
import { aboutConversation, changeConversation, conversationView, tag, toConversationView } from './conversation-schemas.ts';

const query = listQuery(conversationFields, usualOrder);

export const listOfConversations = endpoint({
  method: 'get',
  path: '/v1/conversations',
  operationId: 'conversations.list',
  tag,
  scope: 'conversations:read',
  summary: 'List conversations: search, filter, sort',
  description:
    'The search is of the contact: names, phones and emails, as in the list of contacts. `assignee_id` with `is_empty` finds those of nobody. A filter on `priority`, `is_unread`, `is_window_open`, `created_at`, `updated_at` or a custom field looks at conversations one by one: its page ends after so many, and may be short, or empty, while `has_more` is true; go on with `next_cursor`. So does a search or a tag that more than 10,000 have, but few of the latest. What takes too long, `include_total` among it, is a 503 that says so.',
  query: Joi.object<ListQuery>(query),
  responses: { 200: listOf(conversationView) },
  example: {
    query: { filters: '[{"field":"status","operator":"in","value":["open","pending"]},{"field":"is_unread","value":true}]' },
  },
  async handler({ query, caller }, { reads }) {
    const listing = readConversationListing(query);
    const read = (page: Parameters<typeof listConversations>[3]) =>
      listConversations(reads, caller.organizationId, listing, page);
    const { rows, meta } = await pageOfListing(listing, query, read, toConversationView);
    return ok({ items: rows, meta });
  },
});

const count = Joi.number().integer().required();
type CountQuery = Pick<ListQuery, 'filters' | 'search'>;

export const conversationCounts = endpoint({
  method: 'get',
  path: '/v1/conversations/counts',
  operationId: 'conversations.counts',
  tag,
  scope: 'conversations:read',
  summary: 'Count conversations by status',
  description: 'Of those that the filters and the search find, as in the list.',
  query: Joi.object<CountQuery>({ filters: query.filters, search: query.search }),
  responses: {
    200: view('conversation_counts', Joi.object({ open: count, pending: count, snoozed: count, resolved: count, total: count }), {
      open: 12,
      pending: 3,
      snoozed: 1,
      resolved: 240,
      total: 256,
    }),
  },
  example: { query: { filters: `[{"field":"assignee_id","value":"${exampleIds.user}"}]` } },
  handler: async ({ query, caller }, { reads }) =>
    ok(await countByStatus(reads, caller.organizationId, readConversationListing(query))),
});

export const getOneConversation = endpoint({
  ...aboutConversation,
  method: 'get',
  path: '/v1/conversations/:conversationID',
  operationId: 'conversations.get',
  scope: 'conversations:read',
  summary: 'Get one conversation',
  responses: { 200: conversationView },
  handler: async ({ params, own }) => ok(toConversationView(await getConversation(own, params.conversationID))),
});

export const patchOneConversation = endpoint({
  ...aboutConversation,
  method: 'patch',
  path: '/v1/conversations/:conversationID',
  operationId: 'conversations.update',
  scope: 'conversations:write',
  summary: 'Change a conversation: status, assignee, priority, tags, snooze',
  description: `What is not given stays. \`snoozed_until\` snoozes: it is open again at that time, or when the person writes. The status \`snoozed\` without a time waits for the person. A message of the person opens a resolved conversation too. \`tags\` are all its tags from now on. A member who leaves the organization is the assignee of nothing any more.`,
  body: Joi.object<ConversationPatch>(conversationPatchFields).min(1),
  responses: { 200: conversationView },
  example: { body: { status: 'pending', priority: 'high', tags: ['Refund'], custom_fields: { order: 'A-1001' } } },
  handler: ({ params, body, write }) =>
    changeConversation(write, params.conversationID, async (tx) =>
      ok(toConversationView(await patchConversation(tx, params.conversationID, body))),
    ),
});

export const readOneConversation = endpoint({
  ...aboutConversation,
  method: 'post',
  path: '/v1/conversations/:conversationID/read',
  operationId: 'conversations.read',
  scope: 'conversations:write',
  summary: 'Mark a conversation as read by the team',
  description:
    'Sets `unread_count` to 0 or, with `message_id`, to what came after that message: one that arrives at the same moment stays unread. The person learns nothing of it.',
  body: Joi.object<{ message_id?: string }>({ message_id: id.description('The last message that was seen') }),
  responses: { 200: conversationView },
  example: { body: {} },
  handler: ({ params, body, write }) =>
    changeConversation(write, params.conversationID, async (tx) =>
      ok(toConversationView(await markRead(tx.own, params.conversationID, body?.message_id))),
    ),
});
