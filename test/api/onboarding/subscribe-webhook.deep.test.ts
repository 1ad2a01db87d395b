import { describe, expect, test } from '@jest/globals';
import { uuidv7 } from '../../../src/platform/ids.ts';
import { useApp } from '../../support/app.ts';
import { onboarding } from '../../support/onboarding.ts';
import { waitFor } from '../../support/wait-for.ts';

// An answer that is late is not a lost one.
const app = useApp({ workers: true, env: { PROVIDER_TIMEOUT_MS: '10000' } });
const { newNumber, start, ask, through, read, fault, calls } = onboarding(app);
const subscribe = (body: unknown, headers: Record<string, string> = {}) =>
  app.call('onboarding.subscribe-webhook', { body, headers });
const path = (wabaId: string) => `${wabaId}/subscribed_apps`;

async function exchanged() {
  const [id, number] = [await start(), await newNumber()];
  await through(id, number, 'exchange_token');
  const body = { phone_number_id: number.phoneNumberId, progress_id: id, waba_id: number.wabaId };
  return { id, number, body };
}

describe('200', () => {
  test('waits for the provider without being asked to, and answers with the whole record', async () => {
    const { id, number, body: asked } = await exchanged();
    const { status, headers, body } = await subscribe(asked);
    expect([status, headers.get('preference-applied')]).toEqual([200, null]);
    expect(headers.get('operation-id')).toBeTruthy();
    expect(body).toEqual({
      id,
      organization_id: app.tenant.organizationId,
      channel_id: null,
      waba_id: number.wabaId,
      phone_number_id: number.phoneNumberId,
      current_step: 'register_phone',
      step_status: 'pending',
      completed_steps: ['exchange_token', 'subscribe_webhook'],
      error: null,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    expect(await calls(path(number.wabaId))).toBe(1);
    expect(await calls(path(number.wabaId), 'GET')).toBe(1);
  });

  test('asked twice while it is at work, and once more when it is done: asked of the provider once', async () => {
    const { number, body } = await exchanged();
    await fault(path(number.wabaId), { kind: 'delay', delay_ms: 3_000 });
    const replies = await Promise.all([subscribe(body), subscribe(body)]);
    expect(replies.map(({ body: record }) => record.current_step)).toEqual(['register_phone', 'register_phone']);
    const [first, second] = replies.map(({ headers }) => headers.get('operation-id'));
    expect(second).toBe(first);
    const again = await subscribe(body);
    expect([again.status, again.headers.get('operation-id')]).toEqual([200, null]);
    expect(again.body).toEqual(replies[0]!.body);
    expect(await calls(path(number.wabaId))).toBe(1);
  });

  test('after 5 seconds, or at once with wait=0, with the step at work', async () => {
    const { id, number, body } = await exchanged();
    await fault(path(number.wabaId), { kind: 'delay', delay_ms: 3_000 });
    const { status, headers, body: record } = await subscribe(body, { prefer: 'wait=0' });
    expect([status, record.current_step, record.step_status]).toEqual([200, 'subscribe_webhook', 'in_progress']);
    expect(headers.get('preference-applied')).toBeNull();
    await waitFor('the step', async () => (await read(id)).current_step === 'register_phone');
  });

  test('another number, or another account: the steps after it are to be done again', async () => {
    const { id, body } = await exchanged();
    expect((await subscribe(body)).status).toBe(200);
    const other = await newNumber();
    const refused = await subscribe({ ...body, phone_number_id: other.phoneNumberId });
    expect([refused.status, (await read(id)).completed_steps]).toEqual([422, ['exchange_token']]);
    expect((await subscribe(body)).body.completed_steps).toEqual(['exchange_token', 'subscribe_webhook']);
  });
});

describe('refused', () => {
  test.each([['phone_number_id'], ['progress_id'], ['waba_id']])('without %s, and with an empty one: 422', async (field) => {
    const body = { phone_number_id: '1', progress_id: uuidv7(), waba_id: '2' };
    for (const value of [undefined, '', ' ', null, 5]) {
      const reply = await subscribe({ ...body, [field]: value });
      expect([reply.status, reply.body.error.details[0].field]).toEqual([422, field]);
    }
  });

  test.each([
    ['phone_number_id', '../me'],
    ['waba_id', 'abc'],
  ])('%s = %s is no id of the provider: 422, and nothing is stored', async (field, value) => {
    const { id, body } = await exchanged();
    const before = await read(id);
    const reply = await subscribe({ ...body, [field]: value });
    expect([reply.status, reply.body.error.details[0].field]).toEqual([422, field]);
    expect(await read(id)).toEqual(before);
  });

  test("an unknown progress, another organization's, and what is no id: 404", async () => {
    const { body } = await exchanged();
    const { key } = await app.organization();
    const theirs = await app.call('onboarding.subscribe-webhook', { key, body });
    const unknown = await subscribe({ ...body, progress_id: uuidv7() });
    const none = await subscribe({ ...body, progress_id: 'progress-1' });
    for (const { status, body: reply } of [theirs, unknown, none])
      expect([status, reply.error.message]).toEqual([404, 'Onboarding not found']);
  });

  test('no credential 401, a key without the scope 403, no JSON 400', async () => {
    const { body } = await exchanged();
    const { key } = await app.key(app.tenant.organizationId, ['onboarding:read']);
    const call = (options: object) => app.call('onboarding.subscribe-webhook', { body, ...options });
    expect((await call({ key: null })).status).toBe(401);
    expect((await call({ key })).status).toBe(403);
    const broken = { body: '{', headers: { 'content-type': 'application/json' } };
    expect((await app.raw('POST', '/v1/waba/subscribe-webhook', broken)).status).toBe(400);
  });

  test('before the token is there: 422, which names the step', async () => {
    const [id, number] = [await start(), await newNumber()];
    const { status, body } = await ask('subscribe_webhook', id, number);
    expect([status, body.error.code, body.error.message]).toEqual([422, 'step_not_ready', 'exchange_token comes first']);
    expect((await read(id)).current_step).toBe('exchange_token');
  });

  test('while it is at work with other values: 422', async () => {
    const { id, number, body } = await exchanged();
    await fault(path(number.wabaId), { kind: 'delay', delay_ms: 3_000 });
    await subscribe(body, { prefer: 'wait=0' });
    const reply = await subscribe({ ...body, waba_id: '77' });
    expect([reply.status, reply.body.error.code]).toEqual([422, 'step_not_ready']);
    await waitFor('the step', async () => (await read(id)).current_step === 'register_phone');
  });
});
