import { beforeAll, describe, expect, test } from '@jest/globals';
import { type Body, type Channel, useApp } from '../../support/app.ts';
import { bodyFor, bodyOf, change, entry, inboundFrom, newId, textFrom } from '../../support/provider-body.ts';
import { channelRows } from '../../support/work/channels.ts';
import { contactRows, identityRows } from '../../support/work/contacts.ts';
import { conversationRows, messageRows } from '../../support/work/messages.ts';
import { lastWebhook, providerWebhookRows } from '../../support/work/provider-webhooks.ts';
import { rightNow } from '../../support/work/rows.ts';

const app = useApp({ workers: true, workerEnv: { PROVIDER_WEBHOOK_MAX_PARTS: '400' } });
let channel: Channel;

beforeAll(async () => {
  channel = await app.connect();
});

/** Sends a body in and waits until it is applied; its row. */
async function applied(body: object) {
  // What the sandbox tells of messages that were sent before would be the latest row else.
  await app.settled();
  expect((await app.webhook(body)).status).toBe(200);
  await app.idle();
  const { state, errors } = await lastWebhook(app);
  return { state, errors };
}
const inbound = (phone: string, more = {}) => applied(bodyFor(channel, inboundFrom(phone, more)));
const messagesOf = async (phone: string): Promise<Body[]> =>
  (await messageRows.all(app, { from_phone: phone })).sort((one, other) => (one.id < other.id ? -1 : 1));
const typesOf = async (id: string) => (await app.events(id)).map(({ type }) => type);

describe('a person writes', () => {
  test('for the first time: contact, identities, conversation, message, and each event once', async () => {
    const phone = app.phone();
    const id = newId();
    expect(await inbound(phone, { id, from_user_id: 'US.42' })).toEqual({ state: 'applied', errors: null });
    const [message] = await messagesOf(phone);
    expect(message).toMatchObject({
      direction: 'inbound',
      status: 'received',
      type: 'text',
      content: { body: 'Hello' },
      provider_message_id: id,
    });
    expect(await contactRows.one(app, message.contact_id, ['name', 'phone_number'])).toEqual({
      name: 'Sheena',
      phone_number: `+${phone}`,
    });
    const identities = await identityRows.all(app, { contact_id: message.contact_id }, ['type', 'value'], { type: 'asc' });
    expect(identities).toEqual([
      { type: 'messaging_app', value: phone },
      { type: 'messaging_app_id', value: 'US.42' },
      { type: 'phone', value: `+${phone}` },
    ]);
    expect(await typesOf(message.contact_id)).toEqual(['contact.created', 'contact.updated']);
    const events = await app.events(message.conversation_id);
    expect(events.map(({ type }) => type)).toEqual(['conversation.created', 'message.new', 'conversation.updated']);
    expect(events[1].data).toEqual({
      message_id: message.id,
      conversation_id: message.conversation_id,
      contact_id: message.contact_id,
      channel_id: channel.id,
      direction: 'inbound',
      from_phone: phone,
      msg_type: 'text',
    });
    // Its window is open: a text may go out.
    expect((await app.text(channel, phone)).status).toBe(201);
  });

  test('the same message twenty times is one', async () => {
    const phone = app.phone();
    const body = bodyFor(channel, inboundFrom(phone));
    const replies = await Promise.all(Array.from({ length: 20 }, () => app.webhook(body)));
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
    await app.idle();
    const messages = await messagesOf(phone);
    expect(messages).toHaveLength(1);
    expect(await typesOf(messages[0].conversation_id)).toEqual(['conversation.created', 'message.new', 'conversation.updated']);
  });

  test('twenty first messages of one person at once: one contact, one conversation, each event once', async () => {
    const phone = app.phone();
    await Promise.all(Array.from({ length: 20 }, () => app.webhook(bodyFor(channel, inboundFrom(phone)))));
    await app.settled();
    const messages = await messagesOf(phone);
    expect(messages).toHaveLength(20);
    expect(new Set(messages.map(({ conversation_id }) => conversation_id)).size).toBe(1);
    const { conversation_id, contact_id } = messages[0];
    expect(await contactRows.count(app, { phone_number: `+${phone}` })).toBe(1);
    expect((await typesOf(conversation_id)).filter((type) => type === 'conversation.created')).toHaveLength(1);
    expect((await typesOf(conversation_id)).filter((type) => type === 'message.new')).toHaveLength(20);
    expect((await typesOf(contact_id)).filter((type) => type === 'contact.created')).toHaveLength(1);
    expect(await providerWebhookRows.count(app, { state: { $ne: 'applied' } })).toBe(0);
  });

  test('without a phone: known by the user id alone', async () => {
    const message = { ...textFrom('x'), from: undefined, from_user_id: 'US.777' };
    await applied(bodyFor(channel, { contacts: [{ profile: { name: 'No Phone' }, user_id: 'US.777' }], messages: [message] }));
    const row = await messageRows.one(app, { provider_message_id: message.id });
    expect(row.from_phone).toBe('');
    const identities = await identityRows.all(app, { contact_id: row.contact_id }, ['type', 'value']);
    expect(identities).toEqual([{ type: 'messaging_app_id', value: 'US.777' }]);
    const reply = await app.call('messages.send', {
      body: { channel_id: channel.id, user_id: 'US.777', type: 'text', text: { body: 'Hello' } },
    });
    expect([reply.status, reply.body.data.to_phone]).toEqual([201, '']);
  });

  test('opens a resolved or snoozed conversation again, unread; a pending one stays pending', async () => {
    for (const [was, is] of [
      ['resolved', 'open'],
      ['snoozed', 'open'],
      ['pending', 'pending'],
    ] as const) {
      const { phone, id } = await app.conversation(channel, app.phone(), `clock_timestamp() - interval '3 days'`);
      await conversationRows.change(app, id, { status: was });
      expect((await app.text(channel, phone)).body.error.code).toBe('window_closed');
      await inbound(phone, { text: { body: 'Are you there?' } });
      expect(await conversationRows.one(app, id, ['status', 'preview', 'unread_count'])).toEqual({
        status: is,
        preview: 'Are you there?',
        unread_count: 1,
      });
      expect((await app.text(channel, phone)).status).toBe(201);
    }
  });

  test('wakes a conversation before its time: the job that would have is gone, and the event says so', async () => {
    const { phone, id } = await app.conversation(channel);
    const body = { snoozed_until: new Date(Date.now() + 3_600_000).toISOString() };
    await app.call('conversations.update', { params: { conversationID: id }, body });
    expect(await app.jobOf(id)).toMatchObject({ name: 'conversations.wake', state: 'queued' });
    await inbound(phone);
    expect(await app.jobOf(id)).toBeUndefined();
    expect((await app.call('conversations.get', { params: { conversationID: id } })).body).toMatchObject({
      status: 'open',
      snoozed_until: null,
      unread_count: 1,
    });
    const changed = ['status', 'snoozed_until', 'preview', 'unread_count'];
    expect((await app.events(id)).at(-1)).toEqual({
      type: 'conversation.updated',
      data: { conversation_id: id, status: 'open', changed },
    });
  });

  test('yesterday: the window is counted from then', async () => {
    const phone = app.phone();
    await inbound(phone, { timestamp: String(Math.floor(Date.now() / 1000) - 25 * 3600) });
    expect((await app.text(channel, phone)).body.error.code).toBe('window_closed');
    // A later webhook of an older message takes nothing back, and one from the future gives nothing more.
    await inbound(phone);
    await inbound(phone, { timestamp: '1' });
    expect((await app.text(channel, phone)).status).toBe(201);
    const [message] = await messagesOf(phone);
    expect(await conversationRows.count(app, { id: message.conversation_id, last_inbound_at: { $gt: rightNow() } })).toBe(0);
  });
});

describe('what is written', () => {
  test.each([
    [
      'image',
      { image: { id: '1', mime_type: 'image/jpeg', caption: 'Look' } },
      { id: '1', mime_type: 'image/jpeg', caption: 'Look' },
    ],
    ['button', { button: { payload: 'YES', text: 'Yes' } }, { payload: 'YES', text: 'Yes' }],
    ['contacts', { contacts: [{ name: { formatted_name: 'J S' } }] }, { contacts: [{ name: { formatted_name: 'J S' } }] }],
    ['order', { order: { catalog_id: '1', product_items: [] } }, { catalog_id: '1', product_items: [] }],
  ])('%s', async (type, content, wanted) => {
    const phone = app.phone();
    await inbound(phone, { type, text: undefined, ...content });
    expect((await messagesOf(phone))[0]).toMatchObject({ type, content: wanted });
  });

  test('a type nobody knows is kept as unsupported, with all of it', async () => {
    const phone = app.phone();
    await inbound(phone, { type: 'hologram', text: undefined, hologram: { depth: [1, { a: null }] } });
    const [message] = await messagesOf(phone);
    expect(message.type).toBe('unsupported');
    expect(message.content.raw).toMatchObject({ type: 'hologram', hologram: { depth: [1, { a: null }] } });
  });

  test('NUL, half a character and what looks like an escape are stored as they can be', async () => {
    const phone = app.phone();
    const message = textFrom(phone, { text: { body: 'a\u0000b \\u0000 \\\u0000 \ud83d.' }, context: { id: 'wamid.\u0000' } });
    const contacts = [{ profile: { name: 'Na\u0000me' }, wa_id: phone, user_id: 'US.\u0000' }];
    expect(await applied(bodyFor(channel, { contacts, messages: [message] }))).toEqual({ state: 'applied', errors: null });
    const [row] = await messagesOf(phone);
    expect(row.content.body).toBe('a\ufffdb \\u0000 \\\ufffd \ufffd.');
    expect((await contactRows.one(app, row.contact_id)).name).toBe('Na\ufffdme');
  });

  test('the message it answers is named by the provider', async () => {
    const phone = app.phone();
    await inbound(phone, { context: { from: '1', id: 'wamid.before' } });
    const shown = async ({ id }: Body) => (await app.call('messages.get', { params: { messageID: id } })).body.data.context;
    const [first] = await messagesOf(phone);
    expect(await shown(first)).toEqual({ message_id: null, provider_message_id: 'wamid.before' });
    await inbound(phone, { context: { from: '1', id: first.provider_message_id } });
    const [second] = (await messagesOf(phone)).filter(({ id }) => id !== first.id);
    expect(await shown(second!)).toEqual({ message_id: first.id, provider_message_id: first.provider_message_id });
  });
});

test('a reaction names the message it is about, and a reaction without one names none', async () => {
  const phone = app.phone();
  const asked = newId();
  const more = [{ message_id: asked, emoji: '👍' }, { message_id: 'wamid.\u0000', emoji: '👍' }, { emoji: '👍' }];
  await inbound(phone, { id: asked });
  for (const reaction of more) await inbound(phone, { type: 'reaction', reaction });
  const [message, ...reactions] = await messagesOf(phone);
  expect(reactions.map(({ context_id, context_message_id }) => [context_id, context_message_id])).toEqual([
    [asked, message.id],
    ['wamid.\ufffd', null],
    [null, null],
  ]);
});

test('an answer that is applied before what it answers names it from then on', async () => {
  const phone = app.phone();
  const asked = newId();
  await inbound(phone, { context: { id: asked } });
  const [{ id: messageID }] = await messagesOf(phone);
  const named = async () => (await app.call('messages.get', { params: { messageID } })).body.data.context.message_id;
  expect(await named()).toBeNull();
  await inbound(phone, { id: asked });
  const [, message] = await messagesOf(phone);
  expect(await named()).toBe(message.id);
});

test('sent from the phone app: stored outbound, and told', async () => {
  const phone = app.phone();
  const echo = { ...textFrom('1', { text: { body: 'From my phone' } }), to: phone };
  await applied(bodyFor(channel, { message_echoes: [echo] }, 'smb_message_echoes'));
  const row = await messageRows.one(app, { provider_message_id: echo.id });
  expect(row).toMatchObject({ direction: 'outbound', status: 'sent', to_phone: phone, from_phone: '' });
  const events = await app.events(row.conversation_id);
  expect(events.find(({ type }) => type === 'message.new').data.direction).toBe('outbound');
  // It opens no window: the person has not written.
  expect((await app.text(channel, phone)).body.error.code).toBe('window_closed');
});

describe('a body that is partly broken', () => {
  test('keeps its error, and the rest is applied', async () => {
    const [first, second] = [app.phone(), app.phone()];
    const broken = [{ ...textFrom(first), id: undefined }, { ...textFrom(first), timestamp: 'now' }, null, 5];
    const row = await applied(
      bodyOf(
        entry(channel, change(channel, { ...inboundFrom(first), messages: [broken[0], textFrom(first), ...broken.slice(1)] })),
        entry(channel, change(channel, { nonsense: true })),
        entry(channel, change(channel, inboundFrom(second))),
      ),
    );
    expect(row.state).toBe('broken');
    expect(row.errors).toHaveLength(5);
    for (const { error, part } of row.errors!) {
      expect(typeof error).toBe('string');
      expect(typeof part).toBe('string');
    }
    expect([(await messagesOf(first)).length, (await messagesOf(second)).length]).toEqual([1, 1]);
  });

  test('a field we do not read is no fault', async () => {
    expect(await applied(bodyFor(channel, { alert_type: 'OTHER' }, 'account_alerts'))).toEqual({
      state: 'applied',
      errors: null,
    });
  });

  test('a number that has been disconnected meanwhile is no fault either', async () => {
    const renumbered = await app.connect();
    const body = bodyFor(renumbered, inboundFrom(app.phone()));
    await channelRows.change(app, renumbered.id, { phone_number_id: `${renumbered.phoneNumberId}0` });
    expect((await app.webhook(body)).status).toBe(200);
    await app.idle();
  });
});

describe('a body of very many parts', () => {
  test('is applied as far as PROVIDER_WEBHOOK_MAX_PARTS, and kept whole with that error', async () => {
    const phones = Array.from({ length: 3 }, () => app.phone());
    const ignored = Array(398).fill(change(channel, {}, 'account_alerts'));
    const { state, errors } = await applied(
      bodyOf(entry(channel, ...ignored, change(channel, { messages: phones.map((phone) => textFrom(phone)) }))),
    );
    expect(state).toBe('broken');
    expect(errors).toEqual([{ error: 'Only the first 400 parts are applied (PROVIDER_WEBHOOK_MAX_PARTS)' }]);
    expect(await Promise.all(phones.map(async (phone) => (await messagesOf(phone)).length))).toEqual([1, 1, 0]);
    const { body } = await lastWebhook(app);
    expect(JSON.parse(body.toString())).toHaveLength(399);
  });

  test('as many as that are no fault', async () => {
    const ignored = Array(400).fill(change(channel, {}, 'account_alerts'));
    expect(await applied(bodyOf(entry(channel, ...ignored)))).toEqual({ state: 'applied', errors: null });
  });

  test('keeps the first of its faults, and how many there are besides', async () => {
    const { errors } = await applied(bodyFor(channel, { messages: Array(250).fill({}) }));
    expect(errors).toHaveLength(101);
    expect(errors![0]).toEqual({ error: 'Not understood: "id" is required', part: '{}' });
    expect(errors![100]).toEqual({ error: '150 more parts could not be applied' });

    const { errors: long } = await applied(bodyFor(channel, { messages: Array(50).fill({ id: 'x'.repeat(5_000) }) }));
    expect(JSON.stringify(long).length).toBeLessThan(80_000);
    expect(long!.at(-1)!.error).toMatch(/^\d+ more parts could not be applied$/);
  });
});

test('a change for two numbers of two organizations is applied to each alone', async () => {
  const other = await app.connect({ tenant: await app.organization() });
  const phone = app.phone();
  await applied(bodyOf(entry(channel, change(channel, inboundFrom(phone))), entry(other, change(other, inboundFrom(phone)))));
  const rows = await messagesOf(phone);
  expect(rows.map(({ organization_id, channel_id }) => [organization_id, channel_id]).sort()).toEqual(
    [channel, other].map(({ tenant, id }) => [tenant.organizationId, id]).sort(),
  );
  expect(rows[0].contact_id).not.toBe(rows[1].contact_id);
});
