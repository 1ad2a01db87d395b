import { describe, expect, test } from '@jest/globals';
import { uuidv7 } from '../../../src/platform/ids.ts';
import { useApp } from '../../support/app.ts';
import { onboarding, pin } from '../../support/onboarding.ts';
import { storedActs } from '../../support/stored/accounts.ts';
import { storedJobs } from '../../support/stored/api-jobs.ts';
import { storedChannels } from '../../support/stored/channels.ts';
import { storedTemplates } from '../../support/stored/messaging.ts';
import { waitFor } from '../../support/wait-for.ts';

// An answer that is late is not a lost one.
const app = useApp({ workers: true, env: { PROVIDER_TIMEOUT_MS: '10000' } });
const { codeFor, newNumber, start, ask, through, read, stored, fault, calls } = onboarding(app);
const tokenPath = 'oauth/access_token';
const exchanges = () => calls(tokenPath, 'GET');
const all = ['exchange_token', 'subscribe_webhook', 'register_phone', 'sync_assets'] as const;

async function begun(...steps: (typeof all)[number][]) {
  const [id, number] = [await start(), await newNumber()];
  await through(id, number, ...steps);
  return { id, number };
}

test('step by step to a channel that sends and receives', async () => {
  const id = await start(app.tenant, { name: 'Shop', rate: 50 });
  const number = await newNumber();
  const at = async (step: (typeof all)[number]) => (await ask(step, id, number)).body;
  expect(await at('exchange_token')).toMatchObject({
    current_step: 'subscribe_webhook',
    step_status: 'pending',
    completed_steps: ['exchange_token'],
    waba_id: null,
  });
  expect(await at('subscribe_webhook')).toMatchObject({ current_step: 'register_phone', waba_id: number.wabaId });
  expect(await at('register_phone')).toMatchObject({ current_step: 'sync_assets', completed_steps: all.slice(0, 3) });
  const end = await at('sync_assets');
  expect(end).toMatchObject({
    current_step: 'completed',
    step_status: 'completed',
    completed_steps: all,
    error: null,
    channel_id: expect.any(String),
  });

  const channel = (await app.call('channels.get', { params: { channelID: end.channel_id } })).body;
  expect(channel).toMatchObject({ name: 'Shop', rate: 50, status: 'connected', phone_number_id: number.phoneNumberId });
  expect(await storedTemplates.count(app, { channel_id: channel.id })).toBe(2);
  const whole = { id: channel.id, ...number, tenant: app.tenant };
  await app.inbound(whole, app.phone());
  const message = await app.text(whole, (await app.conversation(whole)).phone);
  await app.messageIn(message.body.data.id, 'read');
});

test('each change is told, in order', async () => {
  const { id, number } = await begun('exchange_token');
  await fault(number.wabaId, { status: 400, code: 100 });
  expect((await ask('subscribe_webhook', id, number)).status).toBe(422);
  await through(id, number, 'subscribe_webhook', 'register_phone', 'sync_assets');
  const { channel_id } = await read(id);
  const told = (await app.events(id)).map(({ type, data }) => [type, data.current_step, data.step_status, data.channel_id]);
  const step = (name: string, status: string, channel = '') => ['onboarding.updated', name, status, channel];
  expect(told).toEqual([
    step('exchange_token', 'pending'),
    step('exchange_token', 'in_progress'),
    step('subscribe_webhook', 'pending'),
    step('subscribe_webhook', 'in_progress'),
    step('subscribe_webhook', 'failed'),
    step('subscribe_webhook', 'in_progress'),
    step('register_phone', 'pending'),
    step('register_phone', 'in_progress'),
    step('sync_assets', 'pending'),
    step('sync_assets', 'in_progress'),
    step('completed', 'completed', channel_id),
  ]);
});

describe('a step that the provider refuses', () => {
  test.each([
    ['exchange_token', [], tokenPath, '190'],
    ['subscribe_webhook', ['exchange_token'], '/subscribed_apps', '200'],
    ['register_phone', ['exchange_token', 'subscribe_webhook'], '/register', '133005'],
    ['sync_assets', ['exchange_token', 'subscribe_webhook', 'register_phone'], '/message_templates', '10'],
  ] as const)('%s: 422 to who waits, shown in the record, and asked for again it goes on', async (step, before, path, code) => {
    const { id, number } = await begun(...before);
    // The channel that the last step connects reads its templates too, before the step does or after it.
    const isLast = step === 'sync_assets';
    await fault(isLast ? `${number.wabaId}${path}` : path, { status: 400, code: Number(code), times: isLast ? 2 : 1 });
    const refused = await ask(step, id, number);
    expect([refused.status, refused.body.error.code]).toEqual([422, 'provider_refused']);
    expect(refused.body.error.details[0].code).toBe(code);
    expect(await read(id)).toMatchObject({
      current_step: step,
      step_status: 'failed',
      completed_steps: before,
      error: expect.stringContaining(code),
    });
    const operationID = refused.headers.get('operation-id')!;
    const operation = await app.call('operations.get', { params: { operationID } });
    expect(operation.body).toMatchObject({ status: 'failed', subject: { type: 'onboarding', id } });
    await app.idle();
    const { body } = await ask(step, id, number);
    expect(body).toMatchObject({ error: null, completed_steps: [...before, step] });
  });

  test.each([
    ['exchange_token', [], tokenPath],
    ['subscribe_webhook', ['exchange_token'], '/subscribed_apps'],
    ['register_phone', ['exchange_token', 'subscribe_webhook'], '/register'],
    ['sync_assets', ['exchange_token', 'subscribe_webhook', 'register_phone'], '/message_templates'],
  ] as const)('%s: a fault that may pass is tried again by itself', async (step, before, path) => {
    const { id, number } = await begun(...before);
    await fault(path, { status: 500, code: 131000 });
    const { status, body } = await ask(step, id, number);
    expect([status, body.completed_steps]).toEqual([200, [...before, step]]);
  });
});

describe('exchange-token', () => {
  test('a code that was used or is unknown fails; another one goes on', async () => {
    const { id, number } = await begun();
    const refused = await ask('exchange_token', id, { ...number, code: 'nobody-gave-it' });
    expect([refused.status, refused.body.error.details[0].code]).toEqual([422, '100']);
    expect((await ask('exchange_token', id, number)).body.completed_steps).toEqual(['exchange_token']);
  });

  test('the same code twice is exchanged once; another one starts the later steps anew', async () => {
    const { id, number } = await begun('exchange_token', 'subscribe_webhook');
    const before = await exchanges();
    const again = await ask('exchange_token', id, number);
    expect([again.status, again.headers.get('operation-id')]).toEqual([200, null]);
    expect(again.body).toMatchObject({ current_step: 'register_phone', completed_steps: all.slice(0, 2) });
    expect(await exchanges()).toBe(before);
    const { body } = await ask('exchange_token', id, { ...number, code: await codeFor(number.phoneNumberId) });
    expect(body).toMatchObject({ current_step: 'subscribe_webhook', completed_steps: ['exchange_token'] });
  });

  test('code and token are sealed, and deleted as soon as no step needs them', async () => {
    const { id, number } = await begun('exchange_token');
    const row = await stored(id);
    expect(JSON.stringify(row)).not.toMatch(new RegExp(`${number.accessToken}|${number.code}`));
    expect([row.code, app.web.deps.secrets.open(row.access_token)]).toEqual([null, number.accessToken]);
    await through(id, number, 'subscribe_webhook', 'register_phone', 'sync_assets');
    expect(await stored(id)).toMatchObject({ code: null, access_token: null, pin: null });
    const { access_token: sealed } = await storedChannels.one(app, { phone_number_id: number.phoneNumberId });
    expect(app.web.deps.secrets.open(sealed)).toBe(number.accessToken);
  });

  test.each([{}, { code: '' }, { code: ' ' }, { code: 5 }, { code: 'x'.repeat(2049) }])('%j: 422', async (body) => {
    const params = { progressID: await start() };
    const reply = await app.call('onboarding.exchange-token', { params, body });
    expect([reply.status, reply.body.error.details[0].field]).toEqual([422, 'code']);
  });
});

describe('register-phone', () => {
  test('the PIN is sealed while it is needed, and is in no log, event or reply', async () => {
    const { id, number } = await begun('exchange_token', 'subscribe_webhook');
    await fault('/register', { status: 400, code: 133005 });
    const refused = await ask('register_phone', id, number);
    const row = await stored(id);
    expect(app.web.deps.secrets.open(row.pin)).toBe(pin);
    const acts = await storedActs.all(app, { subject: `onboarding:${id}` });
    const jobs = await storedJobs.all(app, { subject_id: id });
    const told = await app.events(id);
    for (const text of [row, acts, jobs, told, refused.body, app.log.lines])
      expect(JSON.stringify(text)).not.toMatch(new RegExp(`\\b${pin}\\b`));
    await through(id, number, 'register_phone');
    expect((await stored(id)).pin).toBeNull();
  });

  test('asked twice with the same PIN it is one operation; with another while it is at work a 422', async () => {
    const { id, number } = await begun('exchange_token', 'subscribe_webhook');
    await fault('/register', { kind: 'delay', delay_ms: 3_000 });
    const first = await ask('register_phone', id, number, { prefer: 'wait=0' });
    const same = await ask('register_phone', id, number, { prefer: 'wait=0' });
    expect(same.headers.get('operation-id')).toBe(first.headers.get('operation-id'));
    const other = await ask('register_phone', id, number, { pin: '111111' });
    expect([other.status, other.body.error.code]).toEqual([422, 'step_not_ready']);
    expect((await ask('register_phone', id, number)).body.current_step).toBe('sync_assets');
    expect(await calls(`${number.phoneNumberId}/register`)).toBe(1);
  });

  test('too many tries end the step: each further one would count', async () => {
    const { id, number } = await begun('exchange_token', 'subscribe_webhook');
    await fault('/register', { status: 400, code: 133016 });
    const refused = await ask('register_phone', id, number);
    expect([refused.status, refused.body.error.details[0].code]).toEqual([422, '133016']);
    expect(await calls(`${number.phoneNumberId}/register`)).toBe(1);
  });

  test.each([{}, { pin: '12345' }, { pin: '1234567' }, { pin: 123456 }, { pin: '12345a' }, { pin: '１２３４５６' }])(
    '%j: 422, which does not repeat it',
    async (body) => {
      const params = { progressID: await start() };
      const reply = await app.call('onboarding.register-phone', { params, body });
      expect([reply.status, reply.body.error.details[0].field]).toEqual([422, 'pin']);
      if (body.pin) expect(reply.text).not.toContain(String(body.pin));
    },
  );
});

describe('sync-assets', () => {
  test('a number that another organization has connected: neither subscribed nor registered', async () => {
    const other = await app.organization();
    const { id, number } = await begun('exchange_token');
    const body = { phone_number_id: number.phoneNumberId, waba_id: number.wabaId, access_token: number.accessToken };
    expect((await app.call('channels.connect', { key: other.key, body })).status).toBe(201);
    const { status, body: reply } = await ask('subscribe_webhook', id, number);
    expect([status, reply.error.details[0].code]).toEqual([409, 'conflict']);
    expect(await calls(`${number.wabaId}/subscribed_apps`)).toBe(0);
    expect((await read(id)).error).toBe('This number is connected already (conflict)');
  });

  test('one that another organization connects meanwhile: failed, and nothing of it stays', async () => {
    const other = await app.organization();
    const { id, number } = await begun('exchange_token', 'subscribe_webhook', 'register_phone');
    const body = { phone_number_id: number.phoneNumberId, waba_id: number.wabaId, access_token: number.accessToken };
    expect((await app.call('channels.connect', { key: other.key, body })).status).toBe(201);
    const { status, body: reply } = await ask('sync_assets', id, number);
    expect([status, reply.error.details[0].code]).toEqual([409, 'conflict']);
    expect(await read(id)).toMatchObject({ current_step: 'sync_assets', step_status: 'failed', channel_id: null });
  });

  test('a number that is a channel of the organization gets the new token, and sends again', async () => {
    const { id: firstId, number } = await begun(...all);
    const channelId = (await read(firstId)).channel_id;
    await storedChannels.change(app, channelId, {
      status: 'auth_error',
      access_token: app.web.deps.secrets.seal('an older one'),
    });
    const again = { ...number, code: await codeFor(number.phoneNumberId) };
    const id = await start();
    expect((await through(id, again, ...all)).channel_id).toBe(channelId);
    expect((await app.call('channels.get', { params: { channelID: channelId } })).body.status).toBe('connected');
    const channels = await storedChannels.all(app, { phone_number_id: number.phoneNumberId }, { columns: ['access_token'] });
    expect(channels.map(({ access_token: sealed }) => app.web.deps.secrets.open(sealed))).toEqual([number.accessToken]);
  });

  test('once completed it is over: the same again changes nothing, another code or number is a 422', async () => {
    const { id, number } = await begun(...all);
    const before = await read(id);
    for (const step of all) {
      const { status, body } = await ask(step, id, number);
      expect([step, status, body]).toEqual([step, 200, before]);
    }
    const code = await ask('exchange_token', id, { ...number, code: 'another' });
    const account = await ask('subscribe_webhook', id, { ...number, wabaId: '7' });
    for (const { status, body } of [code, account]) expect([status, body.error.code]).toEqual([422, 'step_not_ready']);
    expect(await read(id)).toEqual(before);
  });
});

test.each([
  ['register_phone', 'exchange_token'],
  ['sync_assets', 'exchange_token'],
] as const)('%s before %s: 422, which names the step', async (step, missing) => {
  const { id, number } = await begun();
  const { status, body } = await ask(step, id, number);
  expect([status, body.error.code, body.error.message]).toEqual([422, 'step_not_ready', `${missing} comes first`]);
});

test.each(all)("%s of another organization's onboarding, and of one that is not there: 404", async (step) => {
  const { id, number } = await begun();
  const tenant = await app.organization();
  for (const [one, options] of [
    [id, { tenant }],
    [uuidv7(), {}],
  ] as const) {
    const { status, body } = await ask(step, one, number, options);
    expect([status, body.error.message]).toEqual([404, 'Onboarding not found']);
  }
});

test('a step that is called off can be asked for again', async () => {
  const { id, number } = await begun('exchange_token');
  await fault('/subscribed_apps', { kind: 'delay', delay_ms: 1_500 });
  const asked = await ask('subscribe_webhook', id, number, { prefer: 'wait=0' });
  const params = { operationID: asked.headers.get('operation-id')! };
  await waitFor('the call', async () => (await calls(`${number.wabaId}/subscribed_apps`)) === 1);
  expect((await app.call('operations.cancel', { params })).status).toBe(200);
  expect(await read(id)).toMatchObject({ step_status: 'failed', error: 'Called off (cancelled)' });
  expect((await ask('subscribe_webhook', id, number)).body.current_step).toBe('register_phone');
});
