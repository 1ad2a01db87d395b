import { describe, expect, test } from '@jest/globals';
import { uuidv7 } from '../../../src/platform/ids.ts';
import { useApp } from '../../support/app.ts';
import { storedOnboardings } from '../../support/stored/channels.ts';

const app = useApp();
const start = (body?: object, headers?: Record<string, string>, key?: string) =>
  app.call('onboarding.start', { body, headers, key });
const get = (progressID: string) => app.call('onboarding.get', { params: { progressID } });
/** The eleven fields of the contract, each always there. */
const fields = [
  'channel_id',
  'completed_steps',
  'created_at',
  'current_step',
  'error',
  'id',
  'organization_id',
  'phone_number_id',
  'step_status',
  'updated_at',
  'waba_id',
];

describe('start', () => {
  test('is a record at its first step, which nobody has asked for', async () => {
    const { status, headers, body } = await start({ name: 'Shop', rate: 20 });
    expect([status, headers.get('location')]).toEqual([201, `/v1/onboarding/${body.id}`]);
    expect(Object.keys(body).sort()).toEqual(fields);
    expect(body).toMatchObject({
      organization_id: app.tenant.organizationId,
      channel_id: null,
      waba_id: null,
      phone_number_id: null,
      current_step: 'exchange_token',
      step_status: 'pending',
      completed_steps: [],
      error: null,
    });
    expect((await get(body.id)).body).toEqual(body);
    expect(await app.events(body.id)).toEqual([
      {
        type: 'onboarding.updated',
        data: {
          onboarding_id: body.id,
          organization_id: app.tenant.organizationId,
          channel_id: '',
          current_step: 'exchange_token',
          step_status: 'pending',
          error: '',
        },
      },
    ]);
  });

  test('needs no body', async () => {
    expect((await start()).status).toBe(201);
    expect((await start({})).status).toBe(201);
  });

  test('with the same Idempotency-Key is one', async () => {
    const headers = { 'idempotency-key': 'start-once' };
    const [first, second] = [await start({ name: 'One' }, headers), await start({ name: 'One' }, headers)];
    expect(second.body).toEqual(first.body);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
  });

  test.each([
    ['name', ''],
    ['name', 'x'.repeat(201)],
    ['rate', 0],
    ['rate', '80'],
    ['code', 'x'],
  ])('%s = %j: 422 naming it', async (field, value) => {
    const { status, body } = await start({ [field]: value });
    expect([status, body.error.details[0].field]).toEqual([422, field]);
  });
});

describe('list and get', () => {
  test('pages through its own, newest first', async () => {
    const { key } = await app.organization();
    const made: string[] = [];
    for (let index = 0; index < 3; index += 1) made.push((await start({}, {}, key)).body.id);
    const first = await app.call('onboarding.list', { key, query: { limit: 2, include_total: true } });
    expect(first.body.meta).toMatchObject({ has_more: true, limit: 2, total: 3 });
    const second = await app.call('onboarding.list', { key, query: { limit: 2, cursor: first.body.meta.next_cursor } });
    expect(second.body.meta.has_more).toBe(false);
    expect([...first.body.items, ...second.body.items].map(({ id }) => id)).toEqual(made.reverse());
    expect((await app.call('onboarding.list', { key, query: { cursor: 'x' } })).status).toBe(400);
  });

  test('only those whose step has a status, page by page, and no other cursor', async () => {
    const { key } = await app.organization();
    const made: string[] = [];
    for (let index = 0; index < 4; index += 1) made.push((await start({}, {}, key)).body.id);
    await storedOnboardings.change(app, made.slice(0, 3), { step_status: 'failed', error: 'Refused' });
    const list = (query: Record<string, string | number | boolean>) => app.call('onboarding.list', { key, query });
    const first = await list({ step_status: 'failed', limit: 2, include_total: true });
    expect(first.body.meta).toMatchObject({ has_more: true, total: 3 });
    const cursor = first.body.meta.next_cursor;
    const second = await list({ step_status: 'failed', limit: 2, cursor });
    expect([...first.body.items, ...second.body.items].map(({ id }) => id)).toEqual(made.slice(0, 3).reverse());
    expect((await list({ step_status: 'pending' })).body.items.map(({ id }: { id: string }) => id)).toEqual(made.slice(3));
    expect((await list({ cursor })).status).toBe(400);
    expect((await list({ step_status: 'nonsense' })).status).toBe(422);
  });

  test('one that is not there, or is named by no id: 404', async () => {
    for (const id of [uuidv7(), 'x']) {
      const { status, body } = await get(id);
      expect([status, body.error.message]).toEqual([404, 'Onboarding not found']);
    }
  });
});

describe('delete', () => {
  const remove = (progressID: string) => app.call('onboarding.delete', { params: { progressID } });
  const put = (id: string, step: string, status: string, secret: string | null = null) =>
    storedOnboardings.change(app, id, { current_step: step, step_status: status, access_token: secret, error: null });

  test.each([
    ['that nobody has asked anything of', 'exchange_token', 'pending'],
    ['whose step failed, with its token', 'register_phone', 'failed'],
    ['that is completed', 'completed', 'completed'],
  ])('of one %s', async (_what, step, status) => {
    const { id } = (await start()).body;
    await put(id, step, status, step === 'register_phone' ? 'sealed' : null);
    expect((await remove(id)).status).toBe(204);
    expect((await get(id)).status).toBe(404);
    expect(await storedOnboardings.count(app, id)).toBe(0);
    expect((await remove(id)).status).toBe(404);
  });

  test('while a step is at work: 409, and it goes on', async () => {
    const { id } = (await start()).body;
    await put(id, 'register_phone', 'in_progress');
    const { status, body } = await remove(id);
    expect([status, body.error.code]).toEqual([409, 'conflict']);
    expect(body.error.message).toBe('register_phone is at work: wait for its end, or call its operation off');
    expect((await get(id)).body.step_status).toBe('in_progress');
  });

  test('with no id of ours: 404', async () => {
    expect((await remove('x')).status).toBe(404);
    expect((await remove(uuidv7())).status).toBe(404);
  });
});
