import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Body, type Channel, useApp } from '../../support/app.ts';
import { type Receiver, startReceiver } from '../../support/receiver.ts';
import { storedMessageAttempts, storedMessages } from '../../support/stored/messaging.ts';
import { storedDeliveries } from '../../support/stored/webhooks.ts';
import { waitFor } from '../../support/wait-for.ts';

const app = useApp({ workers: true });
let channel: Channel;
let receiver: Receiver;
beforeAll(async () => {
  channel = await app.connect();
  receiver = await startReceiver();
});
afterAll(() => receiver.close());

async function send(on: Channel = channel): Promise<{ id: string; phone: string; contactId: string }> {
  const { phone, contactId } = await app.conversation(on);
  return { id: (await app.text(on, phone)).body.data.id, phone, contactId };
}
async function timeline(messageID: string): Promise<Body[]> {
  const { status, body } = await app.call('messages.timeline', { params: { messageID } });
  expect(status).toBe(200);
  expect(body.data).toMatchObject({ message_id: messageID, is_whole: true });
  return body.data.entries;
}
const ofKind = (entries: Body[], kind: string) => entries.filter((entry) => entry.kind === kind);
const attemptsOf = (entries: Body[]) => ofKind(entries, 'attempt').map(({ attempt }) => attempt);
const statusesOf = (entries: Body[]) => ofKind(entries, 'status').map(({ status }) => status.status);
/** All three are told, in whatever order they came. */
const toldAll = (id: string) =>
  waitFor('all statuses', async () => {
    const entries = await timeline(id);
    return statusesOf(entries).length === 3 ? entries : undefined;
  });

describe('a message that goes out', () => {
  test('at its first try: each step once, with the provider’s times and pricing, and no row for the try', async () => {
    const { id } = await send();
    const row = await app.messageIn(id, 'read');
    const entries = await toldAll(id);
    expect(entries.map(({ kind }) => kind)).toEqual(['accepted', 'queued', 'attempt', 'answer', 'status', 'status', 'status']);
    const [attempt] = attemptsOf(entries);
    expect(attempt).toMatchObject({ number: 1, trigger: 'first', outcome: 'accepted', error_class: null });
    expect(attempt.duration_ms).toBeGreaterThanOrEqual(0);
    expect(ofKind(entries, 'answer')[0]!.answer).toEqual({ provider_message_id: row.provider_message_id });
    expect(statusesOf(entries)).toEqual(['sent', 'delivered', 'read']);
    for (const { at, status } of ofKind(entries, 'status')) {
      expect(at).toMatch(/:\d\d\.000Z$/);
      expect(status).toMatchObject({ by: 'provider', pricing: { model: 'PMP', category: 'service' } });
    }
    expect(await storedMessageAttempts.count(app, { message_id: id })).toBe(0);
  });

  test('at its second try: the first one has its class, its code, its reason and its time', async () => {
    const own = await app.connect();
    await app.fault(own, { status: 500, code: 131000 });
    const { id } = await send(own);
    await app.messageIn(id, 'read');
    const [first, second] = attemptsOf(await timeline(id));
    expect(first).toMatchObject({
      number: 1,
      trigger: 'first',
      outcome: 'failed',
      error_class: 'unavailable',
      provider_code: '131000',
      run: 1,
    });
    expect(first.duration_ms).toBeGreaterThanOrEqual(0);
    expect(first.reason).not.toBe('');
    expect(second).toMatchObject({ number: 2, trigger: 'schedule', outcome: 'accepted' });
  });

  test('and is refused, then retried by hand: who reads sees both tries and when somebody asked', async () => {
    const own = await app.connect();
    await app.fault(own, { status: 400, code: 131026 });
    const { id } = await send(own);
    await app.messageIn(id, 'failed');
    const before = await timeline(id);
    expect(before.map(({ kind }) => kind)).toEqual(['accepted', 'queued', 'attempt', 'failed']);
    expect(attemptsOf(before)).toMatchObject([{ outcome: 'failed', error_class: 'refused', provider_code: '131026' }]);
    expect(ofKind(before, 'failed')[0]!.failure).toMatchObject({ code: 'provider_refused', provider_code: '131026' });
    expect(ofKind(before, 'queued')[0]!.queue).toMatchObject({ state: 'failed' });
    expect((await app.call('messages.retry', { params: { messageID: id }, body: {} })).status).toBe(200);
    await app.messageIn(id, 'read');
    const after = await timeline(id);
    expect(ofKind(after, 'retried')).toHaveLength(1);
    expect(attemptsOf(after).map(({ number, trigger, outcome }) => [number, trigger, outcome])).toEqual([
      [1, 'first', 'failed'],
      [2, 'retry', 'accepted'],
    ]);
  });

  test('again by force: the earlier send and its status stay, the new one has its own', async () => {
    const own = await app.connect();
    const { id } = await send(own);
    await app.messageIn(id, 'read');
    await toldAll(id);
    const failure = { code: 'provider_refused', provider_code: '131026', message: 'undeliverable' };
    await storedMessages.change(app, id, { status: 'failed', failure });
    const { status } = await app.call('messages.retry', { params: { messageID: id }, body: { force: true } });
    expect(status).toBe(200);
    await app.messageIn(id, 'read');
    const entries = await waitFor('the statuses of both sends', async () => {
      const all = await timeline(id);
      return statusesOf(all).length === 6 ? all : undefined;
    });
    expect(attemptsOf(entries).map(({ trigger, outcome }) => [trigger, outcome])).toEqual([
      ['first', 'accepted'],
      ['retry', 'accepted'],
    ]);
    expect(statusesOf(entries).toSorted()).toEqual(['delivered', 'delivered', 'read', 'read', 'sent', 'sent']);
  });

  test('names the webhooks that told about it, with their endpoint and state', async () => {
    const tenant = await app.organization();
    const body = { url: receiver.url, event_types: ['message.sent'] };
    const { body: endpoint } = await app.call('webhooks.endpoints.create', { key: tenant.key, body });
    const { id } = await send(await app.connect({ tenant }));
    const delivered = await waitFor('the delivery', async () => {
      const reply = await app.call('messages.timeline', { key: tenant.key, params: { messageID: id } });
      const webhooks = ofKind(reply.body.data.entries, 'webhook').map(({ webhook }) => webhook);
      return webhooks.some(({ state }) => state === 'succeeded') ? webhooks : undefined;
    });
    expect(delivered).toMatchObject([{ endpoint_id: endpoint.id, event: { type: 'message.sent' }, state: 'succeeded' }]);
    const delivery = await storedDeliveries.one(app, { endpoint_id: endpoint.id }, ['id']);
    expect(delivered[0].delivery_id).toBe(delivery.id);
  });

  test('a person who is erased is not named by the provider’s words any more', async () => {
    const own = await app.connect();
    await app.fault(own, { status: 400, code: 131026 });
    const { id, contactId } = await send(own);
    await app.messageIn(id, 'failed');
    expect(attemptsOf(await timeline(id))[0].reason).not.toBe('');
    expect((await app.call('contacts.delete', { params: { contactID: contactId } })).status).toBeLessThan(300);
    expect(attemptsOf(await timeline(id))).toMatchObject([{ error_class: 'refused', reason: '' }]);
  });
});

test('a message that came in was received, and nothing else', async () => {
  const { phone } = await app.conversation(channel);
  await app.inbound(channel, phone, 'hello');
  const { id, provider_at } = await storedMessages.one(app, { direction: 'inbound', from_phone: phone });
  const written = new Date(provider_at).toISOString();
  expect(await timeline(id)).toEqual([{ at: expect.any(String), kind: 'received', received: { provider_at: written } }]);
  expect((await app.call('messages.get', { params: { messageID: id } })).body.data.provider_at).toBe(written);
});

test.each(['01932d5f-3a0e-7cc4-8f4e-0242ac120005', 'not-a-uuid'])('%s is no message: 404', async (messageID) => {
  expect((await app.call('messages.timeline', { params: { messageID } })).status).toBe(404);
});
