import { generateKeyPairSync, type JsonWebKey } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { maxConnections } from '../../../src/connections/connect.ts';
import { useApp } from '../../support/app.ts';
import { connectCalendar, freshCredentials } from '../../support/connections.ts';
import { storedEvents } from '../../support/stored/api-events.ts';
import { paceOf } from '../../support/stored/api-jobs.ts';
import { storedConnections } from '../../support/stored/channels.ts';

const app = useApp();

const create = (body: object, key?: string) => app.call('connections.create', { body, key });
const stored = (id: string) => storedConnections.one(app, id);

const rsaKey = (modulusLength: number): JsonWebKey =>
  generateKeyPairSync('rsa', { modulusLength }).privateKey.export({ format: 'jwk' });

/** PKCS #1, by hand: the parts need not fit together. */
function pemOf({ n, e, d, p, q, dp, dq, qi }: JsonWebKey): string {
  const lengthOf = ({ length }: Buffer) => (length < 128 ? [length] : [0x82, length >> 8, length & 255]);
  const tagged = (tag: number, value: Buffer) => Buffer.concat([Buffer.from([tag, ...lengthOf(value)]), value]);
  const integers = ['', n, e, d, p, q, dp, dq, qi].map((part) =>
    tagged(2, Buffer.concat([Buffer.from([0]), Buffer.from(part!, 'base64url')])),
  );
  const lines = tagged(0x30, Buffer.concat(integers))
    .toString('base64')
    .match(/.{1,64}/g)!;
  return ['-----BEGIN RSA PRIVATE KEY-----', ...lines, '-----END RSA PRIVATE KEY-----', ''].join('\n');
}

describe('making one', () => {
  test('good credentials make a connection, which shows none of them', async () => {
    const { key } = await app.organization();
    const { status, headers, body, text } = await create(
      { provider: 'google', name: 'Front desk', credentials: { refresh_token: 'sandbox-refresh-token-front' } },
      key,
    );
    expect(status).toBe(201);
    expect(headers.get('location')).toBe(`/v1/connections/${body.id}`);
    expect(body).toMatchObject({ kind: 'calendar', provider: 'google', name: 'Front desk', status: 'connected' });
    expect(body.is_default).toBe(true);
    expect(body.webhook_url).toBeNull();
    expect(text).not.toContain('sandbox-refresh-token-front');
    const event = await storedEvents.one(app, { type: 'connection.status_update', subject_id: body.id }, ['data']);
    expect(event.data).toMatchObject({ status: 'connected', previous_status: null, kind: 'calendar' });
    const pool = await paceOf(app, `connection:${body.id}`);
    expect(pool).toEqual({ width: 4, rate: 5 });
  });

  test('the second of a kind is no default, unless it asks to be', async () => {
    const tenant = await app.organization();
    const first = await connectCalendar(app, { tenant });
    const second = await connectCalendar(app, { tenant });
    expect([first.is_default, second.is_default]).toEqual([true, false]);
    const third = await connectCalendar(app, { tenant, body: { is_default: true } });
    expect(third.is_default).toBe(true);
    expect((await stored(first.id)).is_default).toBe(false);
  });

  test.each([
    ['google', { refresh_token: 'unknown' }, 'invalid_grant'],
    ['google', { client_email: 'a@b.example', private_key: 'no key' }, 'invalid_key'],
    ['zoom', { ...freshCredentials.zoom(), client_secret: 'wrong' }, 'invalid_client'],
  ])('credentials that %s refuses make nothing', async (provider, credentials, code) => {
    const before = await app.counts();
    const { status, body } = await create({ provider, credentials });
    expect(status).toBe(422);
    expect(body.error.code).toBe('provider_refused');
    expect(body.error.details).toMatchObject([{ field: 'credentials', code }]);
    expect(await app.counts()).toEqual(before);
  });

  test('a provider that cannot be asked is a 503, and nothing is made', async () => {
    await app.control('POST', '/faults', { kind: 'drop_before', match: { path: '/oauth2/token' }, times: 1 });
    const { status, body } = await create({ provider: 'google', credentials: freshCredentials.google() });
    expect(status).toBe(503);
    expect(body.error.code).toBe('unavailable');
  });

  test.each([
    [{ provider: 'google', credentials: {} }, 'credentials.refresh_token'],
    [{ provider: 'zoom', credentials: { account_id: 'a', client_id: 'b' } }, 'credentials.client_secret'],
    [{ provider: 'stripe', credentials: { secret_key: 'k', api_key: 'k' } }, 'credentials.api_key'],
    [{ provider: 'stripe', credentials: { secret_key: 'a\nb' } }, 'credentials.secret_key'],
    [{ provider: 'paypal', credentials: { secret_key: 'k' } }, 'provider'],
    [{ provider: 'stripe', credentials: { secret_key: 'k' }, webhook_secret: 'a b' }, 'webhook_secret'],
    [
      { provider: 'stripe', credentials: { secret_key: 'k' }, settings: { success_url: 'javascript:alert(1)' } },
      'settings.success_url',
    ],
    [
      { provider: 'stripe', credentials: { secret_key: 'k' }, settings: { success_url: 'https://me:pw@shop.example/' } },
      'settings.success_url',
    ],
  ])('%j is refused at its field', async (given, field) => {
    const { status, body } = await create(given);
    expect(status).toBe(422);
    expect(body.error.details).toMatchObject([{ field }]);
  });

  test('an organization has a limited number', async () => {
    const tenant = await app.organization();
    const given = () => create({ provider: 'google', credentials: freshCredentials.google() }, tenant.key);
    const replies = await Promise.all(Array.from({ length: maxConnections + 3 }, given));
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(maxConnections);
    expect(replies.filter(({ body }) => body.error?.code === 'limit_reached')).toHaveLength(3);
    const defaults = await storedConnections.all(app, { organization_id: tenant.organizationId, is_default: true });
    expect(defaults).toHaveLength(1);
  });

  test('where there is no room for one, the provider is not asked', async () => {
    const tenant = await app.organization();
    await storedConnections.addMany(app, maxConnections, () => ({
      organization_id: tenant.organizationId,
      kind: 'calendar',
      provider: 'google',
      name: 'Test',
      credentials: 'sealed',
    }));
    const { status, body } = await create({ provider: 'google', credentials: { refresh_token: 'unknown' } }, tenant.key);
    expect(status).toBe(422);
    expect(body.error.code).toBe('limit_reached');
  });

  test('a private key of more than 4096 bits or another type is refused at its field, however it is put together', async () => {
    const [small, large] = [rsaKey(2_048), rsaKey(4_352)];
    const mixed = { ...small, p: large.p, dp: large.dp };
    const other = generateKeyPairSync('rsa-pss', { modulusLength: 2_048 }).privateKey;
    for (const key of [pemOf(large), pemOf(mixed), String(other.export({ type: 'pkcs8', format: 'pem' }))]) {
      const { status, body } = await create({
        provider: 'google',
        credentials: { client_email: 'a@b.example', private_key: key },
      });
      expect(status).toBe(422);
      expect(body.error.details).toMatchObject([{ field: 'credentials.private_key' }]);
    }
    const known = await create({ provider: 'google', credentials: { client_email: 'a@b.example', private_key: pemOf(small) } });
    expect(known.body.error.code).toBe('provider_refused');
  });

  test('the same Idempotency-Key makes one', async () => {
    const headers = { 'idempotency-key': 'one-connection' };
    const body = { provider: 'google', credentials: freshCredentials.google() };
    const [first, second] = [
      await app.call('connections.create', { body, headers }),
      await app.call('connections.create', { body, headers }),
    ];
    expect(second.body).toEqual(first.body);
  });
});

describe('one that is there', () => {
  test('it is listed and read, by its own organization alone', async () => {
    const tenant = await app.organization();
    const { id } = await connectCalendar(app, { tenant });
    const list = await app.call('connections.list', { key: tenant.key });
    expect(list.body.items.map((one: { id: string }) => one.id)).toEqual([id]);
    expect((await app.call('connections.get', { key: tenant.key, params: { connectionID: id } })).body.id).toBe(id);
    expect((await app.call('connections.get', { params: { connectionID: id } })).status).toBe(404);
  });

  test('a change keeps what it does not name', async () => {
    const { id } = await connectCalendar(app, { body: { settings: { success_url: 'https://shop.example/thanks' } } });
    const { status, body } = await app.call('connections.update', { params: { connectionID: id }, body: { name: 'Other' } });
    expect(status).toBe(200);
    expect(body).toMatchObject({ name: 'Other', settings: { success_url: 'https://shop.example/thanks' }, status: 'connected' });
  });

  test('new credentials that are refused change nothing', async () => {
    const { id } = await connectCalendar(app);
    const before = await stored(id);
    const { status } = await app.call('connections.update', {
      params: { connectionID: id },
      body: { name: 'Other', credentials: { refresh_token: 'unknown' } },
    });
    expect(status).toBe(422);
    expect(await stored(id)).toEqual(before);
  });

  test('deleting it erases the secrets and keeps the row', async () => {
    const tenant = await app.organization();
    const { id } = await connectCalendar(app, { tenant, body: { webhook_secret: 'secret-of-webhooks' } });
    const params = { connectionID: id };
    expect((await app.call('connections.delete', { key: tenant.key, params })).status).toBe(204);
    const { credentials, webhook_secret, access_token, is_default, status } = await stored(id);
    expect({ credentials, webhook_secret, access_token, is_default, status }).toEqual({
      credentials: null,
      webhook_secret: null,
      access_token: null,
      is_default: false,
      status: 'disconnected',
    });
    expect((await app.call('connections.get', { key: tenant.key, params })).status).toBe(404);
    expect((await app.call('connections.delete', { key: tenant.key, params })).status).toBe(404);
    expect((await app.call('connections.list', { key: tenant.key })).body.items).toEqual([]);
  });
});
