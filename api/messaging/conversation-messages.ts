import Joi from 'joi';
import { findBrief } from '../../src/messaging/inbox/conversation-row.ts';
import { listMessages } from '../../src/messaging/queries.ts';
import type { Ask } from '../../src/platform/listing/paging.ts';
import { endpoint } from '../http/endpoint.ts';
import { listed, listOf, type PageQuery, pageQuery } from '../http/paging.ts';
import { aboutConversation } from './conversation-schemas.ts';
import { sentMessage, toMessageView } from './schemas.ts';

export const listOfConversationMessages = endpoint({
  ...aboutConversation,
  method: 'get',
  path: '/v1/conversations/:conversationID/messages',
  operationId: 'conversations.messages.list',
  scope: 'messages:read',
  summary: 'List the messages of a conversation, newest first',
  query: Joi.object<PageQuery>(pageQuery),
  responses: { 200: listOf(sentMessage) },
  async handler({ params, query, own }, { reads }) {
    const { id: conversationId } = await findBrief(own, params.conversationID);
    const filter = { conversationId };
    const read = (ask: Ask) => listed('messages', filter, query, (page) => listMessages(own, ask, filter, page), toMessageView);
    return query.include_total ? reads.dear(own.organizationId, read) : read(reads.plain);
  },
});
