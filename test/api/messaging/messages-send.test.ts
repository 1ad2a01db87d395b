import { beforeAll, describe, expect, test } from '@jest/globals';
import { type Channel, useApp } from '../../support/app.ts';
import { storedChannels } from '../../support/stored/channels.ts';
import { storedContacts } from '../../support/stored/contacts.ts';
import { storedConversations, storedMessages } from '../../support/stored/messaging.ts';

const app = useApp();
let channel: Channel;

beforeAll(async () => {
  channel = await app.connect();
  await app.storeTemplates(channel);
});

const textTo = (to: object, more: object = {}) =>
  app.call('messages.send', { body: { channel_id: channel.id, ...to, type: 'text', text: { body: 'Hello' }, ...more } });
const templateTo = (to: object, name = 'hello', language = 'en_US') =>
  app.call('messages.send', {
    body: { channel_id: channel.id, ...to, type: 'template', template: { name, language, components: [] } },
  });

describe('to whom', () => {
  test('a phone, as the client writes it', async () => {
    const { phone, id, contactId } = await app.conversation(channel);
    const { status, body, headers } = await textTo({ to: ` +${phone.slice(0, 4)} (${phone.slice(4, 7)})-${phone.slice(7)} ` });
    expect(status).toBe(201);
    expect(headers.get('location')).toBe(`/v1/messages/${body.data.id}`);
    expect(body.data).toMatchObject({
      channel_id: channel.id,
      conversation_id: id,
      contact_id: contactId,
      to_phone: phone,
      type: 'text',
      direction: 'outbound',
      status: 'queued',
      provider_message_id: '',
      content: { body: 'Hello' },
      failure: null,
    });
    expect(await app.jobOf(body.data.id)).toMatchObject({
      name: 'messages.send',
      lane: `conversation:${id}`,
      pool: `channel:${channel.id}`,
    });
    expect((await app.events(id)).map(({ type }) => type)).toEqual(['conversation.updated']);
  });

  test('a stored contact, by its id', async () => {
    const { phone, contactId } = await app.conversation(channel);
    expect((await textTo({ contact_id: contactId })).body.data).toMatchObject({ contact_id: contactId, to_phone: phone });
  });

  test('a stored contact of several phones: the one they wrote from last, then their own, then the newest', async () => {
    const { id, phone, contactId } = await app.conversation(channel);
    const phones = [app.phone(), app.phone()];
    for (const value of phones)
      await app.call('contacts.identities.create', {
        params: { contactID: contactId },
        body: { type: 'phone', value: `+${value}` },
      });
    const toPhone = async () => (await textTo({ contact_id: contactId })).body.data.to_phone;
    expect(await toPhone()).toBe(phone);
    await storedContacts.change(app, contactId, { phone_number: '' });
    expect(await toPhone()).toBe(phones[1]);
    await storedConversations.change(app, id, { profile_phone: phones[0] });
    expect(await toPhone()).toBe(phones[0]);
  });

  test("the app's own user id, which needs no phone", async () => {
    const { phone, contactId } = await app.conversation(channel);
    const { body } = await textTo({ user_id: `US.${phone}` });
    expect(body.data).toMatchObject({ contact_id: contactId });
    const { status } = await templateTo({ user_id: 'US.4711' });
    expect(status).toBe(201);
    expect(await storedMessages.one(app, { to_user_id: 'US.4711' }, ['to_user_id', 'to_phone'])).toEqual({
      to_user_id: 'US.4711',
      to_phone: '',
    });
  });

  test('a template makes contact and conversation of a stranger, once', async () => {
    const phone = app.phone();
    const [first, second] = await Promise.all([templateTo({ to: phone }), templateTo({ to: `+${phone}` })]);
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(first.body.data.contact_id).toBe(second.body.data.contact_id);
    expect(first.body.data.conversation_id).toBe(second.body.data.conversation_id);
    expect((await app.events(first.body.data.contact_id)).map(({ type }) => type)).toEqual([
      'contact.created',
      'contact.updated',
    ]);
  });

  test.each([
    ['no recipient', {}],
    ['two recipients', { to: '+16505551234', user_id: 'US.1' }],
    ['no phone number at all', { to: 'my mother' }],
    ['a contact id that is none', { contact_id: 'x' }],
  ])('%s: 422', async (_what, to) => {
    const { status, body } = await textTo(to);
    expect([status, body.error.code]).toEqual([422, 'invalid_request']);
    expect(body.error.details.length).toBeGreaterThan(0);
  });

  test('a contact nobody has: 404', async () => {
    const { status, body } = await textTo({ contact_id: '01932d5f-3a0e-7cc4-8f4e-0242ac120002' });
    expect([status, body.error.message]).toEqual([404, 'Contact not found']);
  });

  test('a contact without an address on this channel: 422 naming the field', async () => {
    const id = await storedContacts.add(app, { organization_id: app.tenant.organizationId });
    const { status, body } = await templateTo({ contact_id: id });
    expect([status, body.error.details[0].field]).toEqual([422, 'contact_id']);
  });
});

describe('the 24 hours', () => {
  test.each([
    ['the last word is older', `clock_timestamp() - interval '24 hours 1 second'`, 422],
    ['it is a little younger', `clock_timestamp() - interval '23 hours 59 minutes'`, 201],
    ['the person never wrote', 'null', 422],
  ])('free-form when %s', async (_what, lastInbound, wanted) => {
    const { phone } = await app.conversation(channel, app.phone(), lastInbound);
    const { status, body } = await textTo({ to: phone });
    expect(status).toBe(wanted);
    if (wanted === 422) expect(body.error.code).toBe('window_closed');
  });

  test('a stranger is refused free-form, and not kept', async () => {
    const before = await app.counts();
    const { body } = await textTo({ to: app.phone() });
    expect(body.error.code).toBe('window_closed');
    expect(await app.counts()).toEqual(before);
  });

  test('a window opened on another channel does not count here', async () => {
    const other = await app.connect();
    const { phone } = await app.conversation(other);
    expect((await textTo({ to: phone })).body.error.code).toBe('window_closed');
  });

  test('a template goes out all the same', async () => {
    const { phone } = await app.conversation(channel, app.phone(), 'null');
    expect((await templateTo({ to: phone })).status).toBe(201);
  });
});

describe('templates', () => {
  test.each([
    ['unknown', 'nobody', 'en_US', /^The channel has no template nobody in en_US$/],
    ['in another language', 'hello', 'de', /^The channel has no template hello in de$/],
    ['paused', 'old', 'en_US', /^The template old in en_US cannot be sent: it is paused$/],
  ])('%s: 422', async (_what, name, language, message) => {
    const { status, body } = await templateTo({ to: app.phone() }, name, language);
    expect([status, body.error.code]).toEqual([422, 'template_unknown']);
    expect(body.error.message).toMatch(message);
  });

  test('the content belongs to the type', async () => {
    const { phone } = await app.conversation(channel);
    const { status, body } = await textTo({ to: phone }, { template: { name: 'hello', language: 'en_US' } });
    expect([status, body.error.details[0].field]).toEqual([422, 'template']);
    const none = await app.call('messages.send', { body: { channel_id: channel.id, to: phone, type: 'text' } });
    expect([none.status, none.body.error.details[0].field]).toEqual([422, 'text']);
  });
});

describe('the channel', () => {
  test.each(['disconnected', 'auth_error', 'restricted'])('%s: 409', async (status) => {
    const stopped = await app.connect();
    await storedChannels.change(app, stopped.id, { status });
    const { phone } = await app.conversation(stopped);
    const reply = await app.text(stopped, phone);
    expect([reply.status, reply.body.error.code]).toEqual([409, 'conflict']);
    expect(reply.body.error.message).toContain(status);
  });

  test('one nobody has: 404', async () => {
    const { status, body } = await textTo({ to: app.phone() }, { channel_id: '01932d5f-3a0e-7cc4-8f4e-0242ac120005' });
    expect([status, body.error.message]).toEqual([404, 'Channel not found']);
  });
});

describe('the message it answers', () => {
  test('is named to the provider by its own id', async () => {
    const { phone } = await app.conversation(channel);
    const first = await textTo({ to: phone });
    await storedMessages.change(app, first.body.data.id, { provider_message_id: 'wamid.1' });
    const { status, body } = await textTo({ to: phone }, { context: { message_id: first.body.data.id } });
    expect(status).toBe(201);
    expect((await app.message(body.data.id)).context_id).toBe('wamid.1');
    expect(body.data.context).toEqual({ message_id: first.body.data.id, provider_message_id: 'wamid.1' });
    const later = { context: { message_id: first.body.data.id }, send_at: new Date(Date.now() + 3_600_000).toISOString() };
    expect((await textTo({ to: phone }, later)).body.data.context).toEqual(body.data.context);
  });

  test('must be one of this conversation', async () => {
    const { phone } = await app.conversation(channel);
    const { phone: stranger } = await app.conversation(channel);
    const elsewhere = await app.text(channel, stranger);
    await storedMessages.change(app, elsewhere.body.data.id, { provider_message_id: 'wamid.2' });
    for (const message_id of [elsewhere.body.data.id, '01932d5f-3a0e-7cc4-8f4e-0242ac120005']) {
      const { status, body } = await textTo({ to: phone }, { context: { message_id } });
      expect([status, body.error.details[0].field]).toEqual([422, 'context.message_id']);
      expect(body.error.message).toBe('No message of this conversation has this id');
    }
  });

  test('must have reached the provider, and the answer says where it is', async () => {
    const { phone } = await app.conversation(channel);
    const unsent = await textTo({ to: phone });
    const { status, body } = await textTo({ to: phone }, { context: { message_id: unsent.body.data.id } });
    expect([status, body.error.details[0].field]).toEqual([422, 'context.message_id']);
    expect(body.error.message).toBe('The provider does not have this message yet: it is queued');
  });

  test('of a reaction is its own field, and kept as it was named', async () => {
    const { phone } = await app.conversation(channel);
    const first = await textTo({ to: phone });
    const react = (message_id: string) =>
      app.call('messages.send', {
        body: { channel_id: channel.id, to: phone, type: 'reaction', reaction: { message_id, emoji: '👍' } },
      });
    const early = await react(first.body.data.id);
    expect([early.status, early.body.error.details[0].field]).toEqual([422, 'reaction.message_id']);
    await storedMessages.change(app, first.body.data.id, { provider_message_id: 'wamid.3' });
    const { status, body } = await react(first.body.data.id);
    expect([status, body.data.content]).toEqual([201, { message_id: first.body.data.id, emoji: '👍' }]);
    expect(body.data.context).toEqual({ message_id: first.body.data.id, provider_message_id: 'wamid.3' });
  });
});

test('content is taken as sent, to the last space', async () => {
  const { phone } = await app.conversation(channel);
  const body = '  👍🏽\n\tzwölf "Anführung" \\u0000 ‮ ';
  const reply = await textTo({ to: phone }, { text: { body } });
  expect(reply.body.data.content).toEqual({ body });
  const again = await app.call('messages.get', { params: { messageID: reply.body.data.id } });
  expect(again.body.data.content).toEqual({ body });
});

test('a message opens a resolved conversation again', async () => {
  const { phone, id } = await app.conversation(channel);
  await storedConversations.change(app, id, { status: 'resolved' });
  await textTo({ to: phone });
  expect(await storedConversations.one(app, id, ['status', 'preview'])).toEqual({
    status: 'open',
    preview: 'Hello',
  });
  expect((await app.events(id)).at(-1)).toEqual({
    type: 'conversation.updated',
    data: { conversation_id: id, status: 'open', changed: ['status', 'preview'] },
  });
});
