import { describe, expect, test } from '@jest/globals';
import { type Channel, useApp } from '../../support/app.ts';
import { bodyFor, inboundFrom } from '../../support/provider-body.ts';
import { heldUntil, paceOf } from '../../support/stored/api-jobs.ts';
import { storedChannels } from '../../support/stored/channels.ts';
import { waitFor } from '../../support/wait-for.ts';

const app = useApp();

const bodyOf = ({ phoneNumberId, wabaId, accessToken }: Omit<Channel, 'id' | 'tenant'>) => ({
  phone_number_id: phoneNumberId,
  waba_id: wabaId,
  access_token: accessToken,
});
const connect = (body: object, headers?: Record<string, string>) => app.call('channels.connect', { body, headers });
const stored = (id: string) => storedChannels.one(app, id);

describe('connect', () => {
  test('reads the number with the token, and keeps both', async () => {
    const account = await app.account();
    const { status, headers, body } = await connect({ ...bodyOf(account), app_secret: 'own-secret', verify_token: 'own-token' });
    expect(status).toBe(201);
    expect(headers.get('location')).toBe(`/v1/channels/${body.id}`);
    expect(body).toMatchObject({
      name: 'Test Business',
      provider: 'messaging_app',
      phone_number_id: account.phoneNumberId,
      waba_id: account.wabaId,
      display_phone: account.phoneNumberId,
      status: 'connected',
      rate: 80,
    });
    const row = await stored(body.id);
    expect(JSON.stringify(row)).not.toMatch(new RegExp(`${account.accessToken}|own-secret|own-token`));
    expect(app.web.deps.secrets.open(row.access_token)).toBe(account.accessToken);
    expect(await app.events(body.id)).toEqual([
      { type: 'channel.status_update', data: { channel_id: body.id, status: 'connected', changed: ['status'] } },
    ]);
    expect(await paceOf(app, `channel:${body.id}`)).toEqual({ width: 80, rate: 80 });
  });

  test('names the operation that fetches its templates', async () => {
    const { headers, body } = await connect(bodyOf(await app.account()));
    const id = headers.get('operation-id')!;
    expect(headers.get('link')).toBe(`</v1/operations/${id}>; rel="monitor"`);
    const operation = await app.call('operations.get', { params: { operationID: id } });
    expect(operation.body).toMatchObject({
      name: 'templates.sync',
      status: 'queued',
      error: null,
      finished_at: null,
      subject: { type: 'channel', id: body.id },
    });
  });

  test("a token that may not use the number: 422 with the provider's reason, nothing stored", async () => {
    const account = await app.account();
    const before = await app.counts();
    const { status, body } = await connect({ ...bodyOf(account), access_token: 'somebody-else' });
    expect([status, body.error.code, body.error.details[0].code]).toEqual([422, 'provider_refused', '190']);
    expect(body.error.message).toContain('access token');
    const unknown = await connect({ ...bodyOf(account), phone_number_id: '999' });
    expect([unknown.status, unknown.body.error.details[0].code]).toEqual([422, '100']);
    expect(await app.counts()).toEqual(before);
  });

  test("another organization's account id, which the token may not see: 422 with the provider's reason, nothing stored", async () => {
    const theirs = await app.connect({ tenant: await app.organization() });
    const mine = await app.account();
    const before = await app.counts();
    const { status, body } = await connect({ ...bodyOf(mine), waba_id: theirs.wabaId });
    expect([status, body.error.code, body.error.details[0].code]).toEqual([422, 'provider_refused', '100']);
    expect(body.error.message).toContain('does not exist');
    expect(await app.counts()).toEqual(before);
  });

  test('an account of the same token that has not this number: 422', async () => {
    const mine = await app.account();
    const other = await app.account({ access_token: mine.accessToken });
    const before = await app.counts();
    const { status, body } = await connect({ ...bodyOf(mine), waba_id: other.wabaId });
    expect([status, body.error.code, body.error.details[0].code]).toEqual([422, 'provider_refused', 'account_mismatch']);
    expect(await app.counts()).toEqual(before);
    expect((await connect(bodyOf(mine))).status).toBe(201);
  });

  test('an account of many numbers: all its pages are read', async () => {
    const first = await app.account();
    const shared = { waba_id: first.wabaId, access_token: first.accessToken };
    for (let count = 0; count < 100; count += 1) await app.account(shared);
    expect((await connect(bodyOf(await app.account(shared)))).status).toBe(201);
  });

  test('a provider that does not tell of the account: 503 with Retry-After', async () => {
    const account = await app.account();
    await app.control('POST', '/faults', { kind: 'status', match: { path: `${account.wabaId}/phone_numbers` }, status: 500 });
    const { status, headers, body } = await connect(bodyOf(account));
    expect([status, body.error.code, headers.get('retry-after')]).toEqual([503, 'unavailable', '5']);
  });

  test.each([
    ['fails', { status: 500 }],
    ['is busy', { status: 400, code: 130429 }],
  ])('a provider that %s: 503 with Retry-After', async (_what, fault) => {
    const account = await app.account();
    await app.control('POST', '/faults', { kind: 'status', match: { path: account.phoneNumberId }, ...fault });
    const { status, headers, body } = await connect(bodyOf(account));
    expect([status, body.error.code, headers.get('retry-after')]).toEqual([503, 'unavailable', '5']);
    expect(JSON.stringify(body)).not.toContain(account.accessToken);
  });

  test('a number is connected once in the installation, whoever asks', async () => {
    const account = await app.account();
    const { key } = await app.organization();
    const replies = await Promise.all([connect(bodyOf(account)), app.call('channels.connect', { key, body: bodyOf(account) })]);
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 409]);
    expect((await connect(bodyOf(account))).body.error.code).toBe('conflict');
  });

  test.each([
    ['phone_number_id', 'abc'],
    ['phone_number_id', '../me'],
    ['waba_id', ''],
    ['access_token', ''],
    ['access_token', 'Ā'],
    ['access_token', 'a\nb'],
    ['access_token', 'a😀b'],
    ['rate', 0],
    ['rate', 1001],
    ['rate', '80'],
    ['name', ' '],
  ])('%s = %j: 422 naming it', async (field, value) => {
    const { status, body } = await connect({ ...bodyOf(await app.account()), [field]: value });
    expect([status, body.error.details[0].field]).toEqual([422, field]);
  });
});

describe('list and get', () => {
  test('pages through its own, newest first', async () => {
    const { key } = await app.organization().then(async (tenant) => {
      for (let index = 0; index < 3; index += 1) await app.connect({ tenant });
      return tenant;
    });
    const first = await app.call('channels.list', { key, query: { limit: 2, include_total: true } });
    expect(first.body.meta).toMatchObject({ has_more: true, limit: 2, total: 3 });
    const second = await app.call('channels.list', { key, query: { limit: 2, cursor: first.body.meta.next_cursor } });
    expect(second.body.meta).toEqual({ has_more: false, limit: 2, cursor: first.body.meta.next_cursor });
    const ids = [...first.body.items, ...second.body.items].map(({ id }) => id);
    expect(ids).toEqual([...ids].sort().reverse());
    expect(new Set(ids).size).toBe(3);
    expect((await app.call('channels.list', { key, query: { offset: 1 } })).status).toBe(422);
    expect((await app.call('channels.list', { key, query: { cursor: 'x' } })).status).toBe(400);
  });

  test('get shows no secret', async () => {
    const channel = await app.connect({ body: { app_secret: 'own-secret' } });
    const { status, text, body } = await app.call('channels.get', { params: { channelID: channel.id } });
    expect([status, body.id]).toEqual([200, channel.id]);
    expect(text).not.toMatch(new RegExp(`own-secret|${channel.accessToken}`));
  });

  test.each(['01932d5f-3a0e-7cc4-8f4e-0242ac120005', 'x'])('%s: 404', async (channelID) => {
    for (const operation of ['channels.get', 'templates.sync'])
      expect((await app.call(operation, { params: { channelID } })).body.error.message).toBe('Channel not found');
    const patched = await app.call('channels.update', { params: { channelID }, body: { name: 'x' } });
    expect(patched.status).toBe(404);
  });
});

describe('patch', () => {
  test('name and rate; the pool follows', async () => {
    const { id } = await app.connect();
    const { body } = await app.call('channels.update', { params: { channelID: id }, body: { name: 'New', rate: 20 } });
    expect(body).toMatchObject({ id, name: 'New', rate: 20, status: 'connected' });
    expect(await paceOf(app, `channel:${id}`)).toEqual({ width: 20, rate: 20 });
  });

  test('an own provider app can be removed: its secret signs nothing any more, and the installation’s app does', async () => {
    const channel = await app.connect({ body: { app_secret: 'own-secret', verify_token: 'own-token' } });
    const patch = (body: object) => app.call('channels.update', { params: { channelID: channel.id }, body });
    const written = () => bodyFor(channel, inboundFrom(app.phone()));
    const own = { path: `/${channel.id}`, secret: 'own-secret' };
    expect((await app.webhook(written(), own)).status).toBe(200);
    expect((await patch({ app_secret: null })).status).toBe(200);
    expect(await stored(channel.id)).toMatchObject({ app_secret: null, verify_token: null, status: 'connected' });
    expect((await app.webhook(written(), own)).status).toBe(401);
    expect((await app.webhook(written())).status).toBe(200);
    for (const app_secret of ['another', '', 5]) expect((await patch({ app_secret })).status).toBe(422);
  });

  test('a new token connects it again and lets its messages go', async () => {
    const channel = await app.connect();
    await storedChannels.change(app, channel.id, { status: 'auth_error' });
    await app.hold(channel);
    const { phone } = await app.conversation(channel);
    await storedChannels.change(app, channel.id, { status: 'connected' });
    const message = (await app.text(channel, phone)).body.data.id;
    await storedChannels.change(app, channel.id, { status: 'auth_error' });
    expect((await app.jobOf(message)).state).toBe('waiting');
    const change = (access_token: string) =>
      app.call('channels.update', { params: { channelID: channel.id }, body: { access_token } });

    const refused = await change('still-wrong');
    expect([refused.status, refused.body.error.code]).toEqual([422, 'provider_refused']);
    expect((await stored(channel.id)).status).toBe('auth_error');

    expect((await change(channel.accessToken)).body.status).toBe('connected');
    expect(await heldUntil(app, `channel:${channel.id}`)).toBeNull();
    expect((await app.events(channel.id)).at(-1).data).toEqual({
      channel_id: channel.id,
      status: 'connected',
      changed: ['status'],
    });
    await waitFor('the message to leave the pool', async () => (await app.jobOf(message)).state === 'queued');
  });

  test.each([
    ['nothing', {}],
    ['a status', { status: 'connected' }],
    ['null', { name: null }],
  ])('%s: 422', async (_what, body) => {
    const { id } = await app.connect();
    expect((await app.call('channels.update', { params: { channelID: id }, body })).status).toBe(422);
  });
});
