import { describe, expect, test } from '@jest/globals';
import { type Channel, useApp } from '../../support/app.ts';
import { heldUntil, storedJobs } from '../../support/stored/api-jobs.ts';
import { storedChannelHealth, storedChannels } from '../../support/stored/channels.ts';
import { storedMessages } from '../../support/stored/messaging.ts';
import { ahead } from '../../support/stored/times.ts';
import { waitFor } from '../../support/wait-for.ts';

const app = useApp({ workers: true });

const ask = (operation: string, { id, tenant }: Channel, body?: object) =>
  app.call(`channels.${operation}`, { key: tenant.key, params: { channelID: id }, body });
const stored = ({ id }: Channel) => storedChannels.one(app, id);
const heldUntilOf = ({ id }: Channel) => heldUntil(app, `channel:${id}`);
const statuses = async ({ id }: Channel) => (await app.events(id)).map(({ data }) => data.status);

/** A message that waits while its channel is held. */
async function waiting(channel: Channel) {
  await app.hold(channel);
  const { phone } = await app.conversation(channel);
  const { status, body } = await app.text(channel, phone);
  expect(status).toBe(201);
  return String(body.data.id);
}

describe('disconnect and connect again', () => {
  test('what waits keeps its place, new messages are refused, and all goes out once it is connected', async () => {
    const channel = await app.connect();
    const message = await waiting(channel);
    await app.letGo(channel);
    const held = await app.connect();
    const kept = await waiting(held);
    const { body } = await ask('disconnect', held);
    expect(body.status).toBe('disconnected');
    expect((await ask('disconnect', held)).body.status).toBe('disconnected');
    expect(await heldUntilOf(held)).toBe('infinity');
    const { phone } = await app.conversation(held);
    expect((await app.text(held, phone)).status).toBe(409);
    await app.messageIn(message, 'read');
    expect((await app.message(kept)).status).toBe('queued');

    expect((await ask('reconnect', held)).body.status).toBe('connected');
    await app.messageIn(kept, 'read');
    expect(await app.sends(held)).toHaveLength(1);
    expect(await statuses(held)).toEqual(['connected', 'disconnected', 'connected']);
  });

  test('what people write still comes in', async () => {
    const channel = await app.connect();
    await ask('disconnect', channel);
    await app.inbound(channel, app.phone());
  });

  test('a token that the provider refuses does not connect it', async () => {
    const channel = await app.connect();
    await ask('disconnect', channel);
    await app.control('POST', '/numbers', { phone_number_id: channel.phoneNumberId, refuses: 190 });
    const { status, body } = await ask('reconnect', channel);
    expect([status, body.error.code, body.error.details[0].code]).toEqual([422, 'provider_refused', '190']);
    expect((await stored(channel)).status).toBe('disconnected');
    expect(await heldUntilOf(channel)).toBe('infinity');
  });

  test('of a connected channel the same refusal is its stop', async () => {
    const channel = await app.connect();
    await app.control('POST', '/numbers', { phone_number_id: channel.phoneNumberId, refuses: 190 });
    expect((await ask('reconnect', channel)).status).toBe(422);
    expect((await stored(channel)).status).toBe('auth_error');
    const authorization = async () =>
      (await app.call('channels.health.get', { params: { channelID: channel.id } })).body.authorization;
    expect(await authorization()).toBe('invalid');
    expect(await heldUntilOf(channel)).toBe('infinity');
    await app.control('POST', '/numbers', { phone_number_id: channel.phoneNumberId, refuses: null });
    expect((await ask('reconnect', channel)).body.status).toBe('connected');
    expect(await authorization()).toBe('valid');
    expect(await heldUntilOf(channel)).toBeNull();
  });

  test('the provider refuses a send that was under way: it stays disconnected', async () => {
    const channel = await app.connect();
    await app.fault(channel, { kind: 'delay', delay_ms: 1_500 });
    await app.fault(channel, { status: 401, code: 190 });
    const { phone } = await app.conversation(channel);
    const { body } = await app.text(channel, phone);
    await app.messageIn(body.data.id, 'sending');
    await ask('disconnect', channel);
    await app.messageIn(body.data.id, 'queued');
    expect((await stored(channel)).status).toBe('disconnected');
    expect((await ask('reconnect', channel)).status).toBe(200);
    await app.messageIn(body.data.id, 'read');
  });
});

describe('rotate the token', () => {
  test('a good one connects the channel again and lets its messages go', async () => {
    const channel = await app.connect();
    const message = await waiting(channel);
    await storedChannels.change(app, channel.id, { status: 'auth_error' });
    await app.account({
      phone_number_id: channel.phoneNumberId,
      waba_id: channel.wabaId,
      access_token: `${channel.accessToken}-new`,
    });
    const { status, text } = await ask('rotate-token', channel, {
      access_token: `${channel.accessToken}-new`,
      app_secret: 'new-app-secret',
      verify_token: 'new-verify',
    });
    expect(status).toBe(200);
    expect(text).not.toMatch(/-new|new-app-secret|new-verify/);
    const row = await stored(channel);
    const { secrets } = app.web.deps;
    expect(row.status).toBe('connected');
    expect(secrets.open(row.access_token)).toBe(`${channel.accessToken}-new`);
    expect(secrets.open(row.app_secret)).toBe('new-app-secret');
    expect(secrets.open(row.verify_token)).toBe('new-verify');
    await app.messageIn(message, 'read');
  });

  test('one that the provider refuses is not stored', async () => {
    const channel = await app.connect();
    const { status, body } = await ask('rotate-token', channel, { access_token: 'no-such-token' });
    expect([status, body.error.details[0].code]).toEqual([422, '190']);
    expect(app.web.deps.secrets.open((await stored(channel)).access_token)).toBe(channel.accessToken);
  });

  test('a channel that was disconnected stays so', async () => {
    const channel = await app.connect();
    await ask('disconnect', channel);
    expect((await ask('rotate-token', channel, { access_token: channel.accessToken })).body.status).toBe('disconnected');
    expect(await heldUntilOf(channel)).toBe('infinity');
  });

  test('without a token it is a 422', async () => {
    expect((await ask('rotate-token', await app.connect(), {})).status).toBe(422);
  });
});

describe('delete', () => {
  test('history stays, secrets go, what was not sent fails with its reason', async () => {
    const channel = await app.connect({ body: { app_secret: 'own', verify_token: 'own' } });
    const { phone, id: conversationId } = await app.conversation(channel);
    const sent = (await app.text(channel, phone)).body.data.id;
    await app.messageIn(sent, 'read');
    const first = await waiting(channel);
    await app.hold(channel);
    const behind = (await app.text(channel, phone)).body.data.id;
    const last = (await app.text(channel, phone)).body.data.id;
    await storedJobs.change(app, { subject_id: first }, { run_at: ahead(1, 'hour') });

    const send_at = new Date(Date.now() + 3_600_000).toISOString();
    const scheduled = (await app.text(channel, phone, { send_at })).body.data.id;

    expect((await ask('delete', channel)).status).toBe(204);
    for (const id of [first, behind, last, scheduled]) {
      expect((await app.messageIn(id, 'failed')).failure).toMatchObject({ code: 'channel_deleted' });
      expect((await app.call('messages.retry', { params: { messageID: id } })).status).toBe(409);
    }
    expect(await app.sends(channel)).toHaveLength(1);
    expect(await stored(channel)).toMatchObject({
      status: 'disconnected',
      access_token: '',
      app_secret: null,
      verify_token: null,
    });
    expect(await storedChannelHealth.count(app, { channel_id: channel.id })).toBe(0);
    expect((await app.call('messages.get', { params: { messageID: sent } })).body.data.status).toBe('read');
    expect((await app.call('conversations.get', { params: { conversationID: conversationId } })).status).toBe(200);
    expect((await app.events(channel.id)).at(-1)).toEqual({
      type: 'channel.status_update',
      data: { channel_id: channel.id, status: 'disconnected', changed: ['status', 'deleted'] },
    });
  });

  test('a send that was put off to a later time fails now, and what is behind it in its conversation', async () => {
    const channel = await app.connect();
    const { phone } = await app.conversation(channel);
    // Each of its tries, should the test be late.
    await app.fault(channel, { kind: 'status', status: 500, times: 3 });
    const first = (await app.text(channel, phone)).body.data.id;
    await waitFor('its first try', async () => (await app.jobOf(first)).attempts >= 1);
    // As a later try of it is: in no queue, with a new number, looked at before its time.
    const { run } = await app.jobOf(first);
    const later = { run_at: ahead(30, 'minute'), check_at: ahead(1_780, 'second') };
    await storedJobs.change(app, { subject_id: first }, { run: run + 1, slot_at: null, ...later });
    const behind = (await app.text(channel, phone)).body.data.id;
    expect((await app.jobOf(behind)).state).toBe('blocked');
    expect((await ask('delete', channel)).status).toBe(204);
    for (const id of [first, behind])
      expect((await app.messageIn(id, 'failed')).failure).toMatchObject({ code: 'channel_deleted' });
  });

  test('nothing finds it any more', async () => {
    const channel = await app.connect();
    const { phone, id } = await app.conversation(channel);
    await ask('delete', channel);
    for (const operation of ['get', 'delete', 'disconnect', 'reconnect', 'health.get', 'health.check'])
      expect([operation, (await ask(operation, channel)).status]).toEqual([operation, 404]);
    expect((await ask('update', channel, { name: 'x' })).status).toBe(404);
    expect((await app.text(channel, phone)).status).toBe(404);
    const params = { conversationID: id };
    const body = { type: 'text', text: { body: 'x' } };
    expect((await app.call('conversations.messages.send', { params, body })).status).toBe(404);
    const { body: list } = await app.call('channels.list', { query: { limit: 100 } });
    expect(list.items.map((item: Channel) => item.id)).not.toContain(channel.id);
  });

  test('its number can be connected again, by another organization too, and what comes in is the new channel’s', async () => {
    const channel = await app.connect();
    const { phone } = await app.conversation(channel);
    await ask('delete', channel);
    const other = await app.organization();
    const account = {
      phone_number_id: channel.phoneNumberId,
      waba_id: channel.wabaId,
      access_token: channel.accessToken,
    };
    const { status, body } = await app.call('channels.connect', { key: other.key, body: account });
    expect(status).toBe(201);
    await app.inbound(channel, phone);
    const [received] = await storedMessages.all(
      app,
      { from_phone: phone, direction: 'inbound' },
      { columns: ['organization_id', 'channel_id'] },
    );
    expect(received).toEqual({ organization_id: other.organizationId, channel_id: body.id });
    expect((await app.call('channels.connect', { body: account })).status).toBe(409);
  });

  test('a message that is being sent ends as it ends', async () => {
    const channel = await app.connect();
    await app.fault(channel, { kind: 'delay', delay_ms: 1_500 });
    const { phone } = await app.conversation(channel);
    const { body } = await app.text(channel, phone);
    await app.messageIn(body.data.id, 'sending');
    await ask('delete', channel);
    await waitFor('its answer', async () => (await app.message(body.data.id)).status === 'sent');
    await app.idle();
  });

  test('a read receipt that was asked for before fails', async () => {
    const channel = await app.connect();
    const phone = app.phone();
    await app.inbound(channel, phone);
    const { id } = await storedMessages.one(app, { from_phone: phone });
    await ask('delete', channel);
    expect((await app.call('messages.read', { params: { messageID: id }, body: {} })).status).toBe(409);
  });
});
