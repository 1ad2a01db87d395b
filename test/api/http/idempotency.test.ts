import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { isStored } from '../../../api/http/idempotency.ts';
import { AppError } from '../../../src/platform/errors.ts';
import { LocksOutdated } from '../../../src/platform/ledger/locks.ts';
import { type Channel, useApp } from '../../support/app.ts';
import { storedIdempotencyKeys } from '../../support/stored/accounts.ts';
import { storedMessages } from '../../support/stored/messaging.ts';

const app = useApp();
let channel: Channel;

beforeAll(async () => {
  channel = await app.connect();
});

const endpointBody = { url: 'http://127.0.0.1:9/', event_types: ['message.sent'] };
const send = (body: object, idempotencyKey: string, key?: string) =>
  app.call('messages.send', { body, key, headers: { 'idempotency-key': idempotencyKey } });
const create = (body: object, idempotencyKey: string, key?: string) =>
  app.call('webhooks.endpoints.create', { body, key, headers: { 'idempotency-key': idempotencyKey } });
const bodyTo = (to: string, text = 'Hello') => ({ channel_id: channel.id, to: `+${to}`, type: 'text', text: { body: text } });
const storedFor = (key: string) => storedIdempotencyKeys.all(app, { key });
const messagesTo = async (to: string) => await storedMessages.count(app, { to_phone: to });

describe('the same request again', () => {
  test('gets the stored reply, and has its effect once', async () => {
    const { phone } = await app.conversation(channel);
    const key = randomUUID();
    const first = await send(bodyTo(phone), key);
    await storedMessages.change(app, first.body.data.id, { status: 'sent' });
    const second = await send(bodyTo(phone), key);
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.text).toBe(first.text);
    expect(second.headers.get('location')).toBe(first.headers.get('location'));
    expect([first.headers.get('idempotent-replayed'), second.headers.get('idempotent-replayed')]).toEqual([null, 'true']);
    expect(await messagesTo(phone)).toBe(1);
  });

  test('also when all come at once: one effect, the others replayed or told to wait', async () => {
    const { phone } = await app.conversation(channel);
    const key = randomUUID();
    const replies = await Promise.all(Array.from({ length: 8 }, () => send(bodyTo(phone), key)));
    expect(await messagesTo(phone)).toBe(1);
    const ids = new Set(replies.filter(({ status }) => status === 201).map(({ body }) => body.data.id));
    expect(ids.size).toBe(1);
    for (const { status, body, headers } of replies.filter((reply) => reply.status !== 201))
      expect([status, body.error.code, headers.get('retry-after')]).toEqual([409, 'request_in_progress', '1']);
  });

  test('an operation is named again, and asked for once', async () => {
    const key = randomUUID();
    const sync = () =>
      app.call('templates.sync', { params: { channelID: channel.id }, headers: { 'idempotency-key': key, prefer: 'wait=1' } });
    const [first, second] = [await sync(), await sync()];
    expect(second.headers.get('operation-id')).toBe(first.headers.get('operation-id'));
    expect(second.headers.get('link')).toBe(first.headers.get('link'));
    expect(second.headers.get('idempotent-replayed')).toBe('true');
  });

  test('with another body: 422', async () => {
    const { phone } = await app.conversation(channel);
    const key = randomUUID();
    await send(bodyTo(phone), key);
    const { status, body } = await send(bodyTo(phone, 'Something else'), key);
    expect([status, body.error.code]).toEqual([422, 'idempotency_mismatch']);
    expect(await messagesTo(phone)).toBe(1);
  });

  test('after 24 hours it is a new request', async () => {
    const { phone } = await app.conversation(channel);
    const key = randomUUID();
    const first = await send(bodyTo(phone), key);
    await app.rows(`update idempotency_keys set created_at = created_at - interval '24 hours 1 second' where key = $1`, [key]);
    const second = await send(bodyTo(phone, 'New'), key);
    expect(second.status).toBe(201);
    expect(second.body.data.id).not.toBe(first.body.data.id);
    expect((await send(bodyTo(phone, 'New'), key)).body.data.id).toBe(second.body.data.id);
  });
});

test('while the first is running: 409 with Retry-After, and nothing is done', async () => {
  const { phone } = await app.conversation(channel);
  const key = randomUUID();
  const lock = [app.tenant.organizationId, 'POST', '/v1/messages', key].join('\n');
  const holder = new pg.Client({ connectionString: app.web.deps.config.databaseUrl });
  await holder.connect();
  await holder.query('begin');
  await holder.query('select pg_advisory_xact_lock(hashtextextended($1, 1))', [lock]);
  const { status, body, headers } = await send(bodyTo(phone), key);
  expect([status, body.error.code, headers.get('retry-after')]).toEqual([409, 'request_in_progress', '1']);
  expect(await messagesTo(phone)).toBe(0);
  // The process that held it is gone: so is the lock.
  await holder.end();
  expect((await send(bodyTo(phone), key)).status).toBe(201);
});

describe('what is stored', () => {
  test('a refusal that is final, and none that says to try again', () => {
    expect([new AppError('conflict', 'Taken'), new LocksOutdated()].map(isStored)).toEqual([true, false]);
  });

  test("the handler's own refusals", async () => {
    const key = randomUUID();
    const phone = app.phone();
    const first = await send(bodyTo(phone), key);
    expect(first.body.error.code).toBe('window_closed');
    await app.conversation(channel, phone);
    const second = await send(bodyTo(phone), key);
    expect([second.status, second.text, second.headers.get('idempotent-replayed')]).toEqual([422, first.text, 'true']);
    expect(second.headers.get('content-type')).toContain('application/json');
    expect((await send(bodyTo(phone), randomUUID())).status).toBe(201);
  });

  test.each([
    ['a validation error', () => JSON.stringify({ ...bodyTo('16505551234'), type: 'fax' }), 422],
    ['a body that cannot be read', () => '{', 400],
  ])('not %s', async (_what, body, status) => {
    const key = randomUUID();
    const headers = { 'content-type': 'application/json', 'idempotency-key': key };
    expect((await app.raw('POST', '/v1/messages', { headers, body: body() })).status).toBe(status);
    expect(await storedFor(key)).toEqual([]);
    const { phone } = await app.conversation(channel);
    expect((await send(bodyTo(phone), key)).status).toBe(201);
  });

  test('not a missing credential, and not a provider that is away', async () => {
    const key = randomUUID();
    const account = await app.account();
    const body = { phone_number_id: account.phoneNumberId, waba_id: account.wabaId, access_token: account.accessToken };
    const connect = (apiKey?: string | null) =>
      app.call('channels.connect', { body, key: apiKey, headers: { 'idempotency-key': key } });
    expect((await connect(null)).status).toBe(401);
    await app.control('POST', '/faults', { kind: 'status', status: 500, match: { path: account.phoneNumberId } });
    expect((await connect()).status).toBe(503);
    expect(await storedFor(key)).toEqual([]);
    expect((await connect()).status).toBe(201);
  });

  test('sealed: neither the reply nor the secret in it can be read in the table', async () => {
    const key = randomUUID();
    const { body, text } = await create(endpointBody, key);
    const [row] = await storedFor(key);
    const table = JSON.stringify(row);
    for (const secret of [body.secret, body.secret.slice(6, 20), body.id, Buffer.from(body.secret).toString('base64')])
      expect(table).not.toContain(secret);
    expect(JSON.stringify(JSON.parse(app.web.deps.secrets.open(row.reply)).body)).toBe(text);
    expect((await create(endpointBody, key)).body.secret).toBe(body.secret);
  });
});

describe('a key belongs to', () => {
  test('its organization', async () => {
    const key = randomUUID();
    const other = await app.organization();
    const [mine, theirs] = [await create(endpointBody, key), await create(endpointBody, key, other.key)];
    expect(mine.body.id).not.toBe(theirs.body.id);
    expect(theirs.headers.get('idempotent-replayed')).toBeNull();
  });

  test('its path', async () => {
    const key = randomUUID();
    const { id } = (await create(endpointBody, key)).body;
    const test = await app.call('webhooks.endpoints.test', { params: { endpointID: id }, headers: { 'idempotency-key': key } });
    expect([test.status, test.headers.get('idempotent-replayed')]).toEqual([200, null]);
    expect(await storedFor(key)).toHaveLength(2);
  });

  test('any key of the organization, not to the one that used it first', async () => {
    const key = randomUUID();
    const { phone } = await app.conversation(channel);
    const { id } = (await send(bodyTo(phone), key)).body.data;
    const second = await app.key(app.tenant.organizationId, ['messages:write']);
    expect((await send(bodyTo(phone), key, second.key)).body.data.id).toBe(id);
  });

  test('the caller alone where the reply shows a secret', async () => {
    const key = randomUUID();
    const first = await create(endpointBody, key);
    const second = await app.key(app.tenant.organizationId, ['webhooks:write']);
    const other = await create(endpointBody, key, second.key);
    expect([other.status, other.body.error.code]).toEqual([422, 'idempotency_mismatch']);
    expect(other.text).not.toContain(first.body.secret);
    expect((await create(endpointBody, key)).body).toEqual(first.body);
  });
});

test.each([
  ['empty', ''],
  ['too long', 'x'.repeat(256)],
  ['not ASCII', 'schlüssel'],
  ['a tab', 'a\tb'],
])('a key that is %s: 422 on the header', async (_what, key) => {
  const before = await app.counts();
  const { phone } = { phone: '16505551234' };
  const { status, body } = await send(bodyTo(phone), key);
  expect([status, body.error.details[0].field, body.error.details[0].location]).toEqual([422, 'Idempotency-Key', 'header']);
  expect(await app.counts()).toEqual(before);
});

test('255 characters are a key', async () => {
  expect((await create(endpointBody, 'k'.repeat(255))).status).toBe(201);
});
