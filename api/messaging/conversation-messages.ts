import Joi from 'joi';
import { findBrief } from '../../src/messaging/inbox/conversation-row.ts';
import { listMessages } from '../../src/messaging/list.ts';
import { takeMessage } from '../../src/messaging/schedule.ts';
import { acceptLocks, prepareMessage } from '../../src/messaging/send.ts';
import { contentIn, sendInConversationBody } from '../../src/messaging/send-body.ts';
import { targetOfConversation } from '../../src/messaging/send-target.ts';
import { transactFor } from '../../src/platform/ledger/tenant.ts';
import { Afterwards } from '../../src/platform/ledger/tx.ts';
import { endpoint } from '../http/endpoint.ts';
import { listed, listOf, type PageQuery, pageQuery } from '../http/paging.ts';
import { wrapped } from '../http/view.ts';
import { aboutConversation } from './conversation-schemas.ts';
import { messageView, sentMessage, toMessageView } from './schemas.ts';

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
    return listed('messages', filter, query, (page) => listMessages(own, reads, filter, page), toMessageView);
  },
});

export const sendInConversation = endpoint({
  method: 'post',
  path: '/v1/conversations/:conversationID/messages',
  operationId: 'conversations.messages.send',
  tag: 'Messages',
  scope: 'messages:write',
  summary: 'Send a message in a conversation',
  description: 'To its contact, on its channel; otherwise as `POST /v1/messages`.',
  subject: 'Conversation',
  isIdempotent: true,
  body: sendInConversationBody,
  responses: { 201: wrapped(messageView) },
  location: '/v1/messages',
  example: { body: { type: 'text', text: { body: 'Your order is on its way' } } },
  handler({ params, body, own, write }, { ledger, secrets }) {
    const transact = transactFor(ledger.transact, own.organizationId);
    const look = async () => {
      const target = await targetOfConversation(own, params.conversationID);
      return prepareMessage(own, transact, secrets, { ...target, ...contentIn(body), sendAt: body.send_at });
    };
    return write({ look, locks: acceptLocks, isOneTrip: true }, async (tx, prepared) => {
      const message = takeMessage(tx.own, prepared);
      return new Afterwards(() => ({ status: 201, body: { data: toMessageView(message()) } }));
    });
  },
});
