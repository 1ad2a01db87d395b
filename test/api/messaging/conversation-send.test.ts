import { beforeAll, expect, test } from '@jest/globals';
import { type Channel, useApp } from '../../support/app.ts';
import { storedConversations, storedMessages } from '../../support/stored/messaging.ts';

const app = useApp();
let channel: Channel;

beforeAll(async () => {
  channel = await app.connect();
});

const send = (conversationID: string, body: object = { type: 'text', text: { body: 'Hello' } }) =>
  app.call('conversations.messages.send', { params: { conversationID }, body });

test('goes to the contact of the conversation, on its channel, and is found as any message', async () => {
  const { id, contactId, phone } = await app.conversation(channel);
  const { status, body, headers } = await send(id, { type: 'sticker', sticker: { id: '1' } });
  expect(status).toBe(201);
  expect(headers.get('location')).toBe(`/v1/messages/${body.data.id}`);
  expect(body.data).toMatchObject({
    channel_id: channel.id,
    conversation_id: id,
    contact_id: contactId,
    to_phone: phone,
    type: 'sticker',
    status: 'queued',
  });
  expect(await app.jobOf(body.data.id)).toMatchObject({ name: 'messages.send', lane: `conversation:${id}` });
});

test('answers a message of the conversation', async () => {
  const { id } = await app.conversation(channel);
  const first = await send(id);
  await storedMessages.change(app, first.body.data.id, { provider_message_id: 'wamid.first' });
  const context = { message_id: first.body.data.id };
  const { body } = await send(id, { type: 'text', text: { body: 'Again' }, context });
  expect((await app.message(body.data.id)).context_id).toBe('wamid.first');
});

test('once with an Idempotency-Key', async () => {
  const { id } = await app.conversation(channel);
  const ask = () =>
    app.call('conversations.messages.send', {
      params: { conversationID: id },
      body: { type: 'text', text: { body: 'Hello' } },
      headers: { 'idempotency-key': `once-${id}` },
    });
  const [first, second] = [await ask(), await ask()];
  expect(second.body.data.id).toBe(first.body.data.id);
  expect(await storedMessages.count(app, { conversation_id: id })).toBe(1);
});

test('under the same rules: the 24 hours and suppression', async () => {
  const silent = await app.conversation(channel, app.phone(), 'null');
  const closed = await send(silent.id);
  expect([closed.status, closed.body.error.code]).toEqual([422, 'window_closed']);
  const { id, contactId } = await app.conversation(channel);
  await app.call('contacts.suppressions.create', {
    params: { contactID: contactId },
    body: { channel: 'all', reason: 'manual' },
  });
  const suppressed = await send(id);
  expect([suppressed.status, suppressed.body.error.code]).toEqual([422, 'suppressed']);
});

test('names neither channel nor recipient', async () => {
  const { id, phone } = await app.conversation(channel);
  const { status, body } = await send(id, { type: 'text', text: { body: 'x' }, to: phone, channel_id: channel.id });
  expect(status).toBe(422);
  expect(body.error.details.map(({ field }: { field: string }) => field).sort()).toEqual(['channel_id', 'to']);
});

test('a conversation nobody has: 404; one whose contact was deleted: 409', async () => {
  const none = await send('01932d5f-3a0e-7cc4-8f4e-0242ac120005');
  expect([none.status, none.body.error.message]).toEqual([404, 'Conversation not found']);
  const { id } = await app.conversation(channel);
  await storedConversations.change(app, id, { contact_id: null });
  const erased = await send(id);
  expect([erased.status, erased.body.error.code]).toEqual([409, 'conflict']);
});
