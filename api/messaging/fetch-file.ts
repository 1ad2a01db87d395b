import { conversationOfFile, refetchFile } from '../../src/messaging/files/fetch-again.ts';
import { findMessage } from '../../src/messaging/queries.ts';
import { retryLocks } from '../../src/messaging/retry.ts';
import { notFound } from '../../src/platform/errors.ts';
import { endpoint, ok } from '../http/endpoint.ts';
import { withExample, wrapped } from '../http/view.ts';
import { messageView, toMessageView } from './schemas.ts';

const withFile = withExample(messageView, {
  type: 'image',
  status: 'received',
  direction: 'inbound',
  to_phone: '',
  provider_message_id: 'wamid.HBgLMTY1MDU1NTEyMzQVAgASGBQzQTdBNTY2',
  content: { id: '2754859441498128', mime_type: 'image/jpeg', media: { status: 'pending' } },
});

export const fetchFileOfMessage = endpoint({
  method: 'post',
  path: '/v1/messages/:messageID/fetch-file',
  operationId: 'messages.fetch-file',
  tag: 'Messages',
  scope: 'messages:write',
  summary: 'Fetch the file of a received message again',
  audit: 'message',
  description:
    'For a file whose `media.status` is `failed`, as one that met the full storage of the organization: delete some assets first; or `gone`, while the provider may still have it. It is `pending` again, and `message.updated` tells what became of it. The provider keeps a file for some days. A file that is pending or stored stays as it is; one that is `too_large`, one that is `gone` of a message older than 31 days or without its contact or channel, and a message without a file, is a 409.',
  subject: 'Message',
  isIdempotent: true,
  responses: { 200: wrapped(withFile) },
  errors: [409],
  handler({ params, own, write }) {
    const look = () => conversationOfFile(own, params.messageID);
    return write({ look, locks: retryLocks }, async (tx) => {
      await refetchFile(tx, params.messageID);
      const row = await findMessage(tx.own, params.messageID);
      if (!row) throw notFound('Message');
      return ok({ data: toMessageView(row) });
    });
  },
});
