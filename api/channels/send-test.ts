import Joi from 'joi';
import { phoneNumber } from '../../src/contacts/identities/phone.ts';
import { template, text } from '../../src/messaging/content/text.ts';
import { acceptLocks, acceptMessage, prepareMessage } from '../../src/messaging/send.ts';
import { examplePhone } from '../../src/platform/examples.ts';
import { transactFor } from '../../src/platform/ledger/tenant.ts';
import { Afterwards } from '../../src/platform/ledger/tx.ts';
import { endpoint } from '../http/endpoint.ts';
import { wrapped } from '../http/view.ts';
import { messageView, toMessageView } from '../messaging/schemas.ts';
import { aboutChannel } from './schemas.ts';

/** Every new account has it. */
const helloWorld = { name: 'hello_world', language: 'en_US' };

type TestBody = { to: string; text?: Record<string, unknown>; template?: Record<string, unknown> };

export const sendTest = endpoint({
  tag: aboutChannel.tag,
  subject: aboutChannel.subject,
  method: 'post',
  path: '/v1/channels/:channelID/test',
  operationId: 'channels.test',
  scope: 'messages:write',
  summary: 'Send a test message on a channel',
  description:
    'Without `text` and `template` it is the template `hello_world` in `en_US`, which a new account of the provider has. It is a message as any other: the same checks, its place in the line, its timeline, its price. A text needs a person who wrote within 24 hours.',
  isIdempotent: true,
  body: Joi.object<TestBody>({ to: phoneNumber.required(), text, template }).oxor('text', 'template'),
  responses: { 201: wrapped(messageView) },
  location: '/v1/messages',
  example: { body: { to: `+${examplePhone}`, text: { body: 'A test' } } },
  handler({ params, body, own, write }, { ledger, secrets }) {
    const transact = transactFor(ledger.transact, own.organizationId);
    const content = body.text ?? body.template ?? helloWorld;
    const type = body.text ? 'text' : 'template';
    const request = { channelId: params.channelID, recipient: { phone: body.to }, type, content };
    const look = () => prepareMessage(own, transact, secrets, request);
    return write({ look, locks: acceptLocks, isOneTrip: true }, async (tx, prepared) => {
      const message = acceptMessage(tx.own, prepared);
      return new Afterwards(() => ({ status: 201, body: { data: toMessageView(message()) } }));
    });
  },
});
