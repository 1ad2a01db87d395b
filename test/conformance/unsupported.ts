import type { WhatsAppClient } from '@kapso/whatsapp-cloud-api';
import { phoneNumberId, user } from '../sandbox/house.ts';

/** What is asked, what it belongs to, the call, and the provider's error for a request it does not support. */
export type Unsupported = [call: string, subject: string, ask: (client: WhatsAppClient) => Promise<unknown>, error: object];

/** A path below an object that has no such part. */
const noSuchPath = { code: 2500, type: 'OAuthException', httpStatus: 400 };
/** An object that is not there, or does not do this. */
const noSuchObject = { code: 100, errorSubcode: 33, type: 'GraphMethodException', httpStatus: 400 };
const noSuchValue = { code: 100, type: 'OAuthException', httpStatus: 400 };

const to = `+${user}`;
const callId = 'wacid.1';
const session = { sdpType: 'offer', sdp: 'v=0' };
const ask = (method: string, path: string, body?: object) => (client: WhatsAppClient) =>
  client.request(method, path, { responseType: 'json', ...(body && { body }) });

const send = (message: object) => ask('POST', `${phoneNumberId}/messages`, { messaging_product: 'whatsapp', to, ...message });

/** docs/sandbox.md names these too; a test compares. */
export const unsupported: Unsupported[] = [
  ['calls.connect', 'calls', ({ calls }) => calls.connect({ phoneNumberId, to, session }), noSuchPath],
  ['calls.preAccept', 'calls', ({ calls }) => calls.preAccept({ phoneNumberId, callId, session }), noSuchPath],
  ['calls.accept', 'calls', ({ calls }) => calls.accept({ phoneNumberId, callId, session }), noSuchPath],
  ['calls.reject', 'calls', ({ calls }) => calls.reject({ phoneNumberId, callId }), noSuchPath],
  ['calls.terminate', 'calls', ({ calls }) => calls.terminate({ phoneNumberId, callId }), noSuchPath],
  ['calls.permissions.get', 'calls', ({ calls }) => calls.permissions.get({ phoneNumberId, userWaId: user }), noSuchPath],
  ['GET /debug_token', 'onboarding', ask('GET', 'debug_token'), noSuchObject],
  ['GET /{phone_number_id}/message_qrdls', 'links', ask('GET', `${phoneNumberId}/message_qrdls`), noSuchPath],
  ['POST /{phone_number_id}/message_qrdls', 'links', ask('POST', `${phoneNumberId}/message_qrdls`, {}), noSuchPath],
  [
    'interactive request_contact_info',
    'messages',
    send({ type: 'interactive', interactive: { type: 'request_contact_info', body: { text: 'Hi' }, action: {} } }),
    noSuchValue,
  ],
  [
    'template tap_target_configuration',
    'messages',
    send({
      type: 'template',
      template: { name: 'hello_kanal', language: { code: 'en_US' }, components: [{ type: 'tap_target_configuration' }] },
    }),
    noSuchValue,
  ],
  [
    'recipient_type group',
    'groups',
    ({ messages }) => messages.sendText({ phoneNumberId, to, recipientType: 'group', body: 'Hi' }),
    noSuchValue,
  ],
];

/** The client's own service, not the provider's: without it the client refuses by itself. */
export const ofItsOwnService: [call: string, ask: (client: WhatsAppClient) => Promise<unknown>][] = [
  ['messages.query', ({ messages }) => messages.query({ phoneNumberId })],
  ['messages.get', ({ messages }) => messages.get({ phoneNumberId, messageId: '1' })],
  ['messages.listByConversation', ({ messages }) => messages.listByConversation({ phoneNumberId, conversationId: '1' })],
  ['calls.list', ({ calls }) => calls.list({ phoneNumberId })],
  ['calls.get', ({ calls }) => calls.get({ phoneNumberId, callId })],
  ['conversations.list', ({ conversations }) => conversations.list({ phoneNumberId })],
  ['conversations.get', ({ conversations }) => conversations.get({ conversationId: '1' })],
  ['conversations.updateStatus', ({ conversations }) => conversations.updateStatus({ conversationId: '1', status: 'x' })],
  ['contacts.list', ({ contacts }) => contacts.list({ phoneNumberId })],
  ['contacts.get', ({ contacts }) => contacts.get({ phoneNumberId, waId: user })],
  ['contacts.update', ({ contacts }) => contacts.update({ phoneNumberId, waId: user, displayName: 'x' })],
];
