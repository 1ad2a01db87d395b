import { beforeAll, describe, expect, test } from '@jest/globals';
import { type Channel, useApp } from '../../support/app.ts';
import { waitFor } from '../../support/wait-for.ts';
import { statusOfChannel, templateRows } from '../../support/work/channels.ts';
import { identityRows } from '../../support/work/contacts.ts';
import { eventRows } from '../../support/work/events.ts';
import { heldUntil, holdForever, jobRows, poolRows, releasePool } from '../../support/work/jobs.ts';
import { deliveryRows, endpointRows } from '../../support/work/webhooks.ts';

const app = useApp({ workers: true });
let channel: Channel;

beforeAll(async () => {
  channel = await app.connect();
});

async function send(on: Channel = channel, more: object = {}) {
  const { id: conversationId, contactId, phone } = await app.conversation(on);
  const { status, body } = await app.text(on, phone, more);
  expect(status).toBe(201);
  return { id: String(body.data.id), conversationId, contactId, phone };
}
const typesOf = async (id: string) =>
  (await app.events(id)).map(({ type, data }) => (data.status ? `${type} ${data.status}` : type));
const job = (id: string) => app.jobOf(id);

describe('a message goes out', () => {
  test('with all the provider needs, and is told once a step', async () => {
    const own = await app.connect();
    const { id, conversationId, phone } = await send(own, { text: { body: 'Grüße 👍', preview_url: true } });
    const row = await app.messageIn(id, 'read');
    const [request, ...more] = await app.sends(own);
    expect(more).toEqual([]);
    expect(request.body).toEqual({
      messaging_product: 'whatsapp',
      recipient_type: 'individual',
      to: phone,
      type: 'text',
      text: { body: 'Grüße 👍', preview_url: true },
      biz_opaque_callback_data: id,
    });
    expect(row.provider_message_id).toMatch(/^wamid\./);
    expect(await job(id)).toBeUndefined();
    // The provider promises no order: a read that comes first implies the delivered behind it.
    const types = await typesOf(conversationId);
    expect(types.filter((type) => type !== 'message.status_update delivered')).toEqual([
      'conversation.updated open',
      'message.sent',
      'message.status_update sent',
      'message.status_update read',
    ]);
    expect(new Set(types).size).toBe(types.length);
  });

  test('and is told to an endpoint that began to listen while the provider answered', async () => {
    const own = await app.connect();
    await app.fault(own, { kind: 'delay', delay_ms: 1_500 });
    const { id } = await send(own);
    await app.messageIn(id, 'sending');
    const { body: endpoint } = await app.call('webhooks.endpoints.create', {
      body: { url: 'http://127.0.0.1:1/hooks', event_types: ['message.sent'] },
    });
    await app.messageIn(id, 'read');
    const delivered = (await deliveryRows.all(app, { endpoint_id: endpoint.id }, ['event_id'])).map(({ event_id }) => event_id);
    const events = await eventRows.all(app, { id: { $in: delivered } }, ['type', 'data']);
    const types = events.filter(({ data }) => (data as { message_id?: string }).message_id === id).map(({ type }) => type);
    expect(types).toEqual(['message.sent']);
    await endpointRows.change(app, endpoint.id, { enabled: false, event_types: [] });
  });

  test('to a user id, and what the provider answers becomes an identity', async () => {
    const own = await app.connect();
    const { phone, contactId } = await app.conversation(own);
    await identityRows.remove(app, { contact_id: contactId, type: { $ne: 'messaging_app_id' } });
    const { body } = await app.text(own, phone, { to: undefined, user_id: `US.${phone}` });
    await app.messageIn(body.data.id, 'read');
    const [request] = await app.sends(own);
    expect([request.body.recipient, request.body.to]).toEqual([`US.${phone}`, undefined]);
  });

  test('a template, its language as the provider writes it', async () => {
    const own = await app.connect();
    await waitFor('its templates', async () => (await templateRows.count(app, { channel_id: own.id })) > 0);
    const template = {
      name: 'hello',
      language: 'en_US',
      components: [{ type: 'body', parameters: [{ type: 'text', text: 'Ann' }] }],
    };
    const { body } = await app.text(own, app.phone(), { type: 'template', text: undefined, template });
    await app.messageIn(body.data.id, 'read');
    expect((await app.sends(own))[0].body.template).toEqual({ ...template, language: { code: 'en_US' } });
  });

  test('in the order of its conversation, whatever the provider does to one of them', async () => {
    const own = await app.connect();
    const { phone } = await app.conversation(own);
    await app.fault(own, { status: 500, code: 131000 });
    const ids: string[] = [];
    for (let index = 0; index < 5; index += 1)
      ids.push((await app.text(own, phone, { text: { body: `${index}` } })).body.data.id);
    for (const id of ids) await app.messageIn(id, 'read');
    expect((await app.sends(own)).map(({ body }) => body.text.body)).toEqual(['0', '0', '1', '2', '3', '4']);
  });
});

describe('refused for good', () => {
  test.each([100, 131026, 131047, 132015, 10, 424242])('code %i: failed, with its code, and the next one goes', async (code) => {
    await app.fault(channel, { status: 400, code });
    const { id, conversationId, phone } = await send();
    const row = await app.messageIn(id, 'failed');
    expect(row.failure).toMatchObject({ code: 'provider_refused', provider_code: String(code) });
    expect(row.provider_message_id).toBeNull();
    expect(await job(id)).toMatchObject({
      state: 'failed',
      attempts: 0,
      error: { code: 'provider_refused', provider_code: String(code) },
    });
    expect((await typesOf(conversationId)).slice(1)).toEqual(['message.status_update failed', 'message.failed']);
    const next = await app.text(channel, phone);
    await app.messageIn(next.body.data.id, 'read');
  });

  test('a country that the business may not write to (130497): the message fails, and the channel writes to others', async () => {
    const own = await app.connect();
    await app.fault(own, { status: 403, code: 130497 });
    const { id } = await send(own);
    expect((await app.messageIn(id, 'failed')).failure).toMatchObject({ code: 'provider_refused', provider_code: '130497' });
    await app.messageIn((await send(own)).id, 'read');
    expect(await statusOfChannel(app, own)).toBe('connected');
  });

  test('and asked for again by hand it goes', async () => {
    await app.fault(channel, { status: 400, code: 131026 });
    const { id, conversationId } = await send();
    await app.messageIn(id, 'failed');
    await Promise.all([1, 2].map(() => app.call('messages.retry', { params: { messageID: id } })));
    await app.messageIn(id, 'read');
    expect((await typesOf(conversationId)).filter((type) => type === 'message.sent')).toHaveLength(1);
  });
});

describe('the whole channel is refused', () => {
  test.each([
    [190, 'auth_error'],
    [131031, 'restricted'],
  ])('code %i: %s; what waits keeps its place until somebody mends it', async (code, status) => {
    const own = await app.connect();
    await app.fault(own, { status: 401, code });
    const first = await send(own);
    await waitFor('the channel to stop', async () => (await statusOfChannel(app, own)) === status);
    const held = await waitFor('the job to wait', async () => {
      const row = await job(first.id);
      return row.state === 'waiting' && row;
    });
    expect(held).toMatchObject({ attempts: 0 });
    expect((await app.message(first.id)).status).toBe('queued');
    expect(await heldUntil(app, `channel:${own.id}`)).toBe('infinity');
    expect((await app.text(own, first.phone)).status).toBe(409);
    expect((await typesOf(own.id)).at(-1)).toBe(`channel.status_update ${status}`);
    expect(await app.sends(own)).toHaveLength(1);

    const { body } = await app.call('channels.update', {
      params: { channelID: own.id },
      body: { access_token: own.accessToken },
    });
    expect(body.status).toBe('connected');
    await app.messageIn(first.id, 'read');
    expect(await app.sends(own)).toHaveLength(2);
    expect((await typesOf(own.id)).at(-1)).toBe('channel.status_update connected');
  });

  test('the others of the channel wait with it, in their order', async () => {
    const own = await app.connect();
    await app.fault(own, { status: 401, code: 190 });
    const { phone } = await app.conversation(own);
    const ids: string[] = [];
    for (let index = 0; index < 3; index += 1) {
      const { body } = await app.text(own, phone, { text: { body: `${index}` } });
      if (body.data) ids.push(body.data.id);
    }
    await waitFor('the channel to stop', async () => (await statusOfChannel(app, own)) === 'auth_error');
    await app.call('channels.update', { params: { channelID: own.id }, body: { access_token: own.accessToken } });
    for (const id of ids) await app.messageIn(id, 'read');
    const words = (await app.sends(own)).map(({ body }) => body.text.body);
    expect(words).toEqual(['0', ...ids.map((_, index) => `${index}`)]);
  });
});

describe('busy', () => {
  test('the number: nothing of it goes out for a while, no attempt is spent, others are not slowed', async () => {
    const own = await app.connect();
    await app.fault(own, { status: 400, code: 130429 });
    const { id } = await send(own);
    const waiting = await waitFor('the hold', async () => {
      const [row] = await poolRows.all(app, { id: `channel:${own.id}`, held_until: { $ne: null } }, ['held_until']);
      return row && job(id);
    });
    expect([waiting.attempts, waiting.state]).toEqual([0, 'queued']);
    // It lasts until the other one is through, however slow the machine is.
    const pool = `channel:${own.id}`;
    const until = await heldUntil(app, pool);
    await holdForever(app, pool);
    const other = await send();
    await app.messageIn(other.id, 'read');
    expect((await app.message(id)).status).toBe('queued');
    await poolRows.change(app, pool, { held_until: until });
    await app.messageIn(id, 'read');
    expect(await app.one('select clock_timestamp() >= $1::timestamptz as is_over', [until])).toEqual({ is_over: true });
    expect(await app.sends(own)).toHaveLength(2);
  });

  test('one recipient: only they wait', async () => {
    const own = await app.connect();
    await app.fault(own, { status: 400, code: 131056 });
    const { id } = await send(own);
    const row = await waitFor('the wait', async () => {
      const [found] = await app.rows(
        `select attempts, state, run_at > clock_timestamp() + interval '4 s' as is_later from jobs where subject_id = $1 and run_at > clock_timestamp() + interval '2 s'`,
        [id],
      );
      return found;
    });
    expect(row).toEqual({ attempts: 0, state: 'queued', is_later: true });
    expect((await app.message(id)).status).toBe('queued');
    const other = await send(own);
    await app.messageIn(other.id, 'read');
  });
});

describe('tried again', () => {
  test('a fault that may pass: one try spent, then it goes', async () => {
    await Promise.all(
      [2, 131000, 133004].map(async (code) => {
        const own = await app.connect();
        await app.fault(own, { status: 503, code });
        const { id, conversationId } = await send(own);
        const row = await waitFor('the first try to end', async () => {
          const found = await job(id);
          return found?.attempts === 1 && found;
        });
        expect(row).toMatchObject({ state: 'queued', error: { code: 'provider_failed', provider_code: String(code) } });
        await app.messageIn(id, 'read');
        expect((await typesOf(conversationId)).filter((type) => type === 'message.sent')).toHaveLength(1);
        expect(await app.sends(own)).toHaveLength(2);
      }),
    );
  });

  test('until there is no try left', async () => {
    const own = await app.connect();
    await holdForever(app, `channel:${own.id}`);
    const { id } = await send(own);
    await jobRows.change(app, { subject_id: id }, { attempts: 5 });
    await app.fault(own, { status: 500, code: 131000 });
    await releasePool(app, `channel:${own.id}`);
    const row = await app.messageIn(id, 'failed');
    expect(row.failure).toMatchObject({ code: 'provider_failed', provider_code: '131000' });
    expect(await job(id)).toMatchObject({ state: 'failed' });
    expect(await app.sends(own)).toHaveLength(1);
  });
});
