import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { useApp } from '../../support/app.ts';
import { databaseTimer } from '../../support/database-time.ts';
import { hostIsAhead, rightNow } from '../../support/hosts-clock.ts';
import { bodyFor, inboundFrom } from '../../support/provider-body.ts';
import { type Subscriber, subscriber } from '../../support/subscriber.ts';
import { waitFor } from '../../support/wait-for.ts';
import { eventRows } from '../../support/work/events.ts';
import { heldUntil, holdForever, jobRows, releasePool, secondsUntilRun } from '../../support/work/jobs.ts';
import { attemptRows, deliveryRows, endpointRows } from '../../support/work/webhooks.ts';

const app = useApp({ workers: true });
let { receiver, tenant, channel, subscribe } = {} as Subscriber;

beforeEach(async () => {
  ({ receiver, tenant, channel, subscribe } = await subscriber(app));
});
afterEach(() => receiver.close());

const write = (phone = app.phone(), text = 'hi') => app.webhook(bodyFor(channel, inboundFrom(phone, { text: { body: text } })));
const arrived = (count: number) => waitFor(`${count} webhooks`, () => receiver.received.length >= count && receiver.received);
const delivery = (endpointId: string) => deliveryRows.one(app, { endpoint_id: endpointId });
const attempts = async (endpointId: string) =>
  (await attemptRows.all(app, { endpoint_id: endpointId })).sort((one, other) => one.number - other.number);
const jobOf = async (endpointId: string) => app.jobOf((await delivery(endpointId)).id);
const ended = (endpointId: string, state: string) =>
  waitFor(`the delivery ${state}`, async () => {
    const row = await delivery(endpointId);
    return row.state === state && row;
  });

describe('delivered', () => {
  test('with the time of the database, whatever the clock of the worker says', async () => {
    await subscribe();
    const hostsClock = hostIsAhead(3_600_000);
    try {
      await write();
      const [got] = await arrived(1);
      const ageSeconds = rightNow() / 1000 - Number(got!.headers['webhook-timestamp']);
      expect(Math.abs(ageSeconds)).toBeLessThan(30);
    } finally {
      hostsClock.mockRestore();
    }
  });

  test('signed, in the envelope, with the headers of the endpoint', async () => {
    const { id, secret } = await subscribe({ headers: { 'X-Own': 'mine' } });
    await write();
    const [got] = await arrived(1);
    expect(new Webhook(secret).verify(got!.raw, got!.headers as Record<string, string>)).toEqual(got!.body);
    expect(got!.headers).toMatchObject({
      'content-type': 'application/json',
      'x-own': 'mine',
      'user-agent': 'Kanal-Webhooks/1.0',
    });
    const event = await eventRows.one(app, { organization_id: tenant.organizationId, type: 'message.new' }, [
      'id',
      'data',
      'created_at',
    ]);
    expect(got!.body).toEqual({
      id: event.id,
      type: 'message.new',
      timestamp: new Date(event.created_at).toISOString(),
      organization_id: tenant.organizationId,
      data: event.data,
    });
    expect(got!.headers['webhook-id']).toBe(event.id);
    const row = await ended(id, 'succeeded');
    expect(row).toMatchObject({ attempts: 1, next_attempt_at: null });
    expect(row.finished_at).not.toBeNull();
    expect(await attempts(id)).toMatchObject([
      { number: 1, status: 200, error_class: null, organization_id: tenant.organizationId, trigger: 'schedule' },
    ]);
    expect(await app.jobOf(row.id)).toBeUndefined();
  });

  test('only what the endpoint listens to, to every endpoint that does, and to nobody of another organization', async () => {
    const stranger = await app.organization();
    await app.call('webhooks.endpoints.create', { key: stranger.key, body: { url: receiver.url, event_types: ['message.new'] } });
    await subscribe({ event_types: ['contact.created', 'conversation.created'] });
    await subscribe({ event_types: ['message.new'] });
    await write();
    await arrived(3);
    await app.idle();
    expect(receiver.received.map(({ body }) => body.type).sort()).toEqual([
      'contact.created',
      'conversation.created',
      'message.new',
    ]);
  });

  test('with another secret the signature does not hold', async () => {
    const [first, second] = [await subscribe(), await subscribe()];
    await write();
    for (const got of await arrived(2)) {
      const holds = [first, second].filter(({ secret }) => {
        try {
          return new Webhook(secret).verify(got.raw, got.headers as Record<string, string>);
        } catch {
          return false;
        }
      });
      expect(holds).toHaveLength(1);
    }
  });
});

describe('refused', () => {
  test('tried again later in the queue of later tries: the same id, the same bytes, a new time', async () => {
    receiver.answer({ status: 503 }, { status: 200 });
    const { id, secret } = await subscribe();
    const passed = await databaseTimer(app.em());
    await write();
    await arrived(1);
    const waiting = await waitFor('the second try to be planned', async () => {
      const row = await jobOf(id);
      return row.attempts === 1 && row;
    });
    expect(waiting).toMatchObject({ queue: 'webhook-retries', state: 'queued', run: 2 });
    const { next_attempt_at: nextAt } = await deliveryRows.one(app, waiting.subject_id);
    const near = Math.abs(Date.parse(nextAt!) - Date.parse(waiting.run_at)) < 1_000;
    const in_ms = (await secondsUntilRun(app, waiting.id)) * 1_000;
    // Five seconds from the end of the first try, of which some have passed.
    expect(Number(in_ms) + (await passed())).toBeGreaterThan(4_990);
    expect(Number(in_ms)).toBeLessThan(5_600);
    expect(near).toBe(true);
    expect(await attempts(id)).toMatchObject([
      { number: 1, status: 503, error_class: 'http', phase: 'response', response_head: expect.stringContaining('thank you') },
    ]);

    const [first, second] = await arrived(2);
    await ended(id, 'succeeded');
    expect(second!.raw).toBe(first!.raw);
    expect(second!.headers['webhook-id']).toBe(first!.headers['webhook-id']);
    expect(second!.at - first!.at).toBeGreaterThan(4_900);
    expect(second!.headers['webhook-timestamp']).not.toBe(first!.headers['webhook-timestamp']);
    new Webhook(secret).verify(second!.raw, second!.headers as Record<string, string>);
    expect((await attempts(id)).map(({ number, status }) => [number, status])).toEqual([
      [1, 503],
      [2, 200],
    ]);
  });

  test('what was refused, and what then was taken, can be read: the delivery, its attempts, its event, its endpoint', async () => {
    receiver.answer({ status: 503 }, { status: 200 });
    const { id } = await subscribe();
    await write();
    await arrived(2);
    const { id: deliveryID, event_id: eventID } = await ended(id, 'succeeded');
    const get = async (operation: string, params: Record<string, string>) =>
      (await app.call(operation, { key: tenant.key, params })).body;
    const [second, first, ...more] = (await get('webhooks.deliveries.attempts', { deliveryID })).items;
    expect(more).toEqual([]);
    expect(first).toMatchObject({ number: 1, status: 503, phase: 'response', error_class: 'http', next_attempt_at: null });
    expect(first.phases).toMatchObject({ connect: expect.any(Number), response: expect.any(Number) });
    expect(second).toMatchObject({ number: 2, status: 200, phase: null, error_class: null, next_attempt_at: null });
    expect(Object.values<number>(second.phases).every((ms) => ms >= 0 && ms <= second.duration_ms + 1)).toBe(true);
    expect(await get('webhooks.deliveries.get', { deliveryID })).toMatchObject({
      state: 'succeeded',
      attempts: 2,
      last_attempt: { status: 200 },
    });
    const { subject, ...envelope } = await get('events.get', { eventID });
    expect(subject.type).toBe('conversation');
    expect(JSON.stringify(envelope)).toBe(receiver.received[0]!.raw);
    const stats = await get('webhooks.endpoints.stats', { endpointID: id });
    expect(stats.hours.at(-1).attempts + stats.hours.at(-2).attempts).toBe(2);
    expect(stats.backlog).toEqual({ pending: 0, failed: 0, cancelled: 0 });
  });

  test.each([
    ['a redirect', { status: 302, headers: { location: 'http://127.0.0.1:1/' } }, { status: 302, error_class: 'http' }],
    ['no answer in time', { delayMs: 30_000 }, { status: null, error_class: 'timeout' }],
    ['a teapot', { status: 418 }, { status: 418, error_class: 'http' }],
  ])('%s is logged and planned again', async (_what, answer, logged) => {
    receiver.answer(answer);
    const { id } = await subscribe();
    await write();
    await waitFor('the attempt', async () => (await attempts(id)).length === 1);
    expect((await attempts(id))[0]).toMatchObject(logged);
    expect(await delivery(id)).toMatchObject({ state: 'pending', attempts: 1 });
  });

  test('Retry-After is heeded within the schedule', async () => {
    receiver.answer({ status: 429, headers: { 'retry-after': '60' } });
    const { id } = await subscribe();
    const passed = await databaseTimer(app.em());
    await write();
    await waitFor('the attempt', async () => (await attempts(id)).length === 1);
    const in_s = await secondsUntilRun(app, (await jobOf(id)).id);
    expect(in_s + (await passed()) / 1_000).toBeGreaterThan(59.9);
    expect(in_s).toBeLessThan(70);
  });

  test('the last try fails for good, and shows failed', async () => {
    receiver.answer({ status: 500 });
    const { id } = await subscribe();
    await holdForever(app, `endpoint:${id}`);
    await write();
    await waitFor('the delivery', async () => (await deliveryRows.count(app, { endpoint_id: id })) === 1);
    await jobRows.change(app, { subject_id: (await delivery(id)).id }, { attempts: 9 });
    await releasePool(app, `endpoint:${id}`);
    const row = await ended(id, 'failed');
    expect(row.next_attempt_at).toBeNull();
    expect(row.finished_at).not.toBeNull();
    expect(await jobOf(id)).toMatchObject({ state: 'failed', error: { provider_code: '500' } });
    expect(receiver.received).toHaveLength(1);
  });

  test('410: the endpoint is disabled, its deliveries are held, the others are told', async () => {
    const { id } = await subscribe();
    receiver.answer(({ body }) => (body.type === 'message.new' ? { status: 410 } : {}));
    await subscribe({ event_types: ['endpoint.disabled'] });
    await write();
    const [notice] = await waitFor(
      'the word to the others',
      () => receiver.ofType('endpoint.disabled').length > 0 && receiver.ofType('endpoint.disabled'),
    );
    expect(notice!.body.data).toEqual({ endpoint_id: id, reason: 'gone', organization_id: tenant.organizationId });
    const row = await endpointRows.one(app, id, ['enabled', 'disabled_reason']);
    expect(row).toEqual({ enabled: false, disabled_reason: 'gone' });
    await write();
    const held = await waitFor('the second delivery', async () => {
      const rows = await jobRows.all(app, { pool: `endpoint:${id}` }, ['state'], { seq: 'asc' });
      return rows.length === 2 && rows;
    });
    expect(held.map(({ state }) => state)).toEqual(['queued', 'waiting']);
    expect(await heldUntil(app, `endpoint:${id}`)).toBe('infinity');
    expect(receiver.ofType('message.new')).toHaveLength(1);
  });
});
