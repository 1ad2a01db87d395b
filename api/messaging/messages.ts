import Joi from 'joi';
import { listMessages } from '../../src/messaging/list.ts';
import { type Direction, directions, type MessageStatus, messageStatuses } from '../../src/messaging/message.entity.ts';
import { findMessage } from '../../src/messaging/queries.ts';
import { conversationOf, retryLocks, retryMessage } from '../../src/messaging/retry.ts';
import { cancelScheduled, takeMessage } from '../../src/messaging/schedule.ts';
import { acceptLocks, prepareMessage } from '../../src/messaging/send.ts';
import { contentIn, type SendBody, sendBody } from '../../src/messaging/send-body.ts';
import type { SendRequest } from '../../src/messaging/send-target.ts';
import { notFound } from '../../src/platform/errors.ts';
import { exampleIds, examplePhone } from '../../src/platform/examples.ts';
import { transactFor } from '../../src/platform/ledger/tenant.ts';
import { Afterwards } from '../../src/platform/ledger/tx.ts';
import { endpoint, ok } from '../http/endpoint.ts';
import { listed, listOf, type PageQuery, pageQuery } from '../http/paging.ts';
import { id, moment } from '../http/schemas.ts';
import { wrapped } from '../http/view.ts';
import { messageView, sentMessage, toMessageView } from './schemas.ts';

const tag = 'Messages';

export const sendMessage = endpoint({
  method: 'post',
  path: '/v1/messages',
  operationId: 'messages.send',
  tag,
  scope: 'messages:write',
  summary: 'Send a message',
  description:
    'Accepts the message and answers; a worker sends it, in order within its conversation and at the rate of its channel, or at `send_at`. Free-form messages need a contact that wrote within 24 hours.',
  isIdempotent: true,
  looksFirst: true,
  body: sendBody,
  responses: { 201: wrapped(messageView) },
  errors: [404],
  example: {
    body: { channel_id: exampleIds.channel, to: `+${examplePhone}`, type: 'text', text: { body: 'Your order is on its way' } },
  },
  handler({ body, own, write }, { ledger, secrets }) {
    const transact = transactFor(ledger.transact, own.organizationId);
    const look = () => prepareMessage(own, transact, secrets, toRequest(body));
    return write({ look, locks: acceptLocks, isOneTrip: true }, async (tx, prepared) => {
      const message = takeMessage(tx.own, prepared);
      return new Afterwards(() => ({ status: 201, body: { data: toMessageView(message()) } }));
    });
  },
});

function toRequest({ channel_id: channelId, to, contact_id, user_id, ...body }: SendBody): SendRequest {
  const recipient = to ? { phone: to } : contact_id ? { contactId: contact_id } : { userId: user_id! };
  return { channelId, recipient, ...contentIn(body), sendAt: body.send_at };
}

export const getMessage = endpoint({
  method: 'get',
  path: '/v1/messages/:messageID',
  operationId: 'messages.get',
  tag,
  scope: 'messages:read',
  summary: 'Get one message',
  subject: 'Message',
  errorShape: 'problem',
  responses: { 200: wrapped(sentMessage) },
  async handler({ params, own }) {
    const row = await findMessage(own, params.messageID);
    if (!row) throw notFound('Message');
    return ok({ data: toMessageView(row) });
  },
});

type ListQuery = PageQuery & {
  channel_id?: string;
  conversation_id?: string;
  contact_id?: string;
  status?: MessageStatus;
  direction?: Direction;
  type?: string;
  since?: string;
  until?: string;
  search?: string;
  scheduled?: true;
};

export const listOfMessages = endpoint({
  method: 'get',
  path: '/v1/messages',
  operationId: 'messages.list',
  tag,
  scope: 'messages:read',
  summary: 'List messages, newest first',
  query: Joi.object<ListQuery>({
    ...pageQuery,
    channel_id: id,
    conversation_id: id,
    contact_id: id,
    status: Joi.string().valid(...messageStatuses),
    direction: Joi.string().valid(...directions),
    type: Joi.string().max(64).description('e.g. `text`, `image`, `interactive`, or `unsupported` for received ones'),
    since: moment.description('Made at this time or later'),
    until: moment.description('Made before this time'),
    search: Joi.string()
      .trim()
      .max(200)
      .description('Words of the text or the caption, all of which must be in it; case and accents do not matter'),
    scheduled: Joi.boolean().valid(true).description('Only messages whose time has not come'),
  }),
  responses: { 200: listOf(sentMessage) },
  handler({ query, own }, { reads }) {
    const { status, direction, type, since, until, search } = query;
    const filter = {
      channelId: query.channel_id,
      conversationId: query.conversation_id,
      contactId: query.contact_id,
      ...{ status, direction, type, since, until, search },
      isScheduled: query.scheduled,
    };
    return listed('messages', filter, query, (page) => listMessages(own, reads, filter, page), toMessageView);
  },
});

export const retryOfMessage = endpoint({
  method: 'post',
  path: '/v1/messages/:messageID/retry',
  operationId: 'messages.retry',
  tag,
  scope: 'messages:write',
  summary: 'Send a failed message again',
  audit: 'message',
  description:
    'Once, however often it is asked. A message the provider has taken goes out again only with `force`: the person may see it twice. The 24-hour window counts as for a new message: 422 `window_closed` where it is over, but for a template. A resolved conversation is opened again. A message of a campaign is a 409 where the campaign was cancelled, where the person has had as many as the frequency cap allows, and where another of its messages reached them or will.',
  subject: 'Message',
  isIdempotent: true,
  body: Joi.object<{ force: boolean }>({ force: Joi.boolean().strict().default(false) }),
  responses: { 200: wrapped(messageView) },
  example: { body: { force: false } },
  handler({ params, body, own, write }) {
    const look = () => conversationOf(own, params.messageID);
    return write({ look, locks: retryLocks }, async (tx) => {
      await retryMessage(tx, params.messageID, body.force);
      const row = await findMessage(tx.own, params.messageID);
      if (!row) throw notFound('Message');
      return ok({ data: toMessageView(row) });
    });
  },
});

export const cancelOfMessage = endpoint({
  method: 'post',
  path: '/v1/messages/:messageID/cancel',
  operationId: 'messages.cancel',
  tag,
  scope: 'messages:write',
  summary: 'Call off a scheduled message',
  audit: 'message',
  description:
    'It is then `failed` with the code `cancelled`. Asked again it changes nothing; a message that is on its way is a 409.',
  subject: 'Message',
  isIdempotent: true,
  responses: { 200: wrapped(messageView) },
  errors: [409],
  handler({ params, own, write }) {
    const look = () => conversationOf(own, params.messageID);
    return write({ look, locks: retryLocks }, async (tx) => {
      await cancelScheduled(tx.own, params.messageID);
      const row = await findMessage(tx.own, params.messageID);
      if (!row) throw notFound('Message');
      return ok({ data: toMessageView(row) });
    });
  },
});
