import Joi from 'joi';
import { readLane } from '../../src/messaging/jobs.ts';
import { assertReceived, requestRead } from '../../src/messaging/mark-read.ts';
import { findMessage } from '../../src/messaging/queries.ts';
import { notFound } from '../../src/platform/errors.ts';
import { endpoint, ok } from '../http/endpoint.ts';
import { operationNote } from '../http/schemas.ts';
import { withExample, wrapped } from '../http/view.ts';
import { messageView, toMessageView } from './schemas.ts';

const received = withExample(messageView, {
  status: 'received',
  direction: 'inbound',
  to_phone: '',
  provider_message_id: 'wamid.HBgLMTY1MDU1NTEyMzQVAgASGBQzQTdBNTY2',
  content: { body: 'Where is my order?' },
});

export const readOfMessage = endpoint({
  method: 'post',
  path: '/v1/messages/:messageID/read',
  operationId: 'messages.read',
  tag: 'Messages',
  scope: 'messages:write',
  summary: 'Mark a received message as read at the provider',
  description: `The person sees that it was read, and with \`typing_indicator\` for some 25 seconds that an answer is being written. All messages before it are read too. Idempotent. ${operationNote}`,
  subject: 'Message',
  isIdempotent: true,
  isOperation: true,
  body: Joi.object<{ typing_indicator: boolean }>({ typing_indicator: Joi.boolean().strict().default(false) }),
  responses: { 200: wrapped(received) },
  example: { body: { typing_indicator: true } },
  async handler({ params, body, own, write }) {
    await assertReceived(own, params.messageID);
    return write({ locks: [readLane(params.messageID)] }, async (tx) => {
      const operationId = await requestRead(tx.own, params.messageID, body.typing_indicator);
      const row = await findMessage(tx.own, params.messageID);
      if (!row) throw notFound('Message');
      return { ...ok({ data: toMessageView(row) }), operationId };
    });
  },
});
