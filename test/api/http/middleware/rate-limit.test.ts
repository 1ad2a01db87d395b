import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { newCredential } from '../../../../src/platform/credentials.ts';
import { type Reply, useApp } from '../../../support/app.ts';
import { definitions } from '../../../support/contract.ts';

const quota = 20;
const ceiling = 150;
const app = useApp({
  env: {
    RATE_LIMIT_PER_MINUTE: String(quota),
    RATE_LIMIT_ORGANIZATION_PER_MINUTE: String(ceiling),
    CHANNEL_WEBHOOKS_PER_MINUTE: '5',
    CREDENTIAL_TRIES_PER_MINUTE: '3',
    TRUST_PROXY: '1',
  },
});

/** What a reply says is left; checks that it says it in the one way. */
function leftOf({ headers }: Reply): { left: number; seconds: number } {
  expect(headers.get('ratelimit-policy')).toBe(`"default";q=${quota};w=60`);
  const [, left, seconds] = /^"default";r=(\d+);t=(\d+)$/.exec(headers.get('ratelimit') ?? '') ?? [];
  return { left: Number(left), seconds: Number(seconds) };
}

const list = (key: string | null, address = '203.0.113.1') =>
  app.raw('GET', '/v1/messages', { key, headers: { 'x-forwarded-for': address } });

/** A fresh key of an organization, its quota spent up to `left`. */
async function spentKey(left = 0, organizationId = app.tenant.organizationId) {
  const { key } = await app.key(organizationId, ['messages:read', 'messages:write']);
  for (let index = left; index < quota; index += 1) expect((await list(key)).status).toBe(200);
  return key;
}

test('every reply says what is left, and it counts down', async () => {
  const { key } = await app.key(app.tenant.organizationId, ['messages:read']);
  const replies = [await list(key), await list(key), await list(key)];
  expect(replies.map((reply) => leftOf(reply).left)).toEqual([19, 18, 17]);
  for (const reply of replies) {
    expect(leftOf(reply).seconds).toBeGreaterThan(0);
    expect(leftOf(reply).seconds).toBeLessThanOrEqual(60);
  }
});

test('a refusal of another kind counts and says it too: the scope, the body, the id', async () => {
  const { key } = await app.key(app.tenant.organizationId, ['messages:read']);
  const asked = (method: string, path: string) => app.raw(method, path, { key });
  const replies = [
    await asked('POST', '/v1/messages'),
    await asked('GET', '/v1/messages?limit=0'),
    await asked('GET', '/v1/messages/x'),
  ];
  expect(replies.map(({ status }) => status)).toEqual([403, 422, 404]);
  expect(replies.map((reply) => leftOf(reply).left)).toEqual([19, 18, 17]);
});

describe('over the quota', () => {
  test('the answer is 429 with the seconds to wait, in the shape of the endpoint', async () => {
    const key = await spentKey();
    const refused = await list(key);
    expect(refused.status).toBe(429);
    const { left, seconds } = leftOf(refused);
    expect([left, refused.headers.get('retry-after')]).toEqual([0, String(seconds)]);
    expect(refused.body.error).toMatchObject({ code: 'rate_limited', details: null });

    const problem = definitions.find(
      ({ errorShape, method, scope }) => errorShape === 'problem' && method === 'get' && scope !== 'public',
    )!;
    const other = await app.call(problem.operationId, { key });
    expect(other.status).toBe(429);
    expect(other.headers.get('content-type')).toContain('application/problem+json');
  });

  test('nothing is changed, nor kept for its Idempotency-Key', async () => {
    const channel = await app.connect();
    const phone = app.phone();
    await app.conversation(channel, phone);
    const key = await spentKey();
    const before = await app.counts();
    const body = { channel_id: channel.id, to: `+${phone}`, type: 'text', text: { body: 'Hello' } };
    const headers = { 'idempotency-key': 'once' };
    expect((await app.call('messages.send', { key, body, headers })).status).toBe(429);
    expect(await app.counts()).toEqual(before);
    const other = await app.key(app.tenant.organizationId, ['messages:write']);
    expect((await app.call('messages.send', { key: other.key, body, headers })).status).toBe(201);
  });

  test('another key of the same organization, from the same address, is free', async () => {
    await spentKey();
    const { key } = await app.key(app.tenant.organizationId, ['messages:read']);
    expect(leftOf(await list(key)).left).toBe(quota - 1);
  });
});

test('an organization has a ceiling above its keys, and another one its own', async () => {
  const { organizationId, key: first } = await app.organization();
  let served = 0;
  for (let key = first; served <= ceiling; { key } = await app.key(organizationId, ['messages:read'])) {
    const replies = await Promise.all(Array.from({ length: quota }, () => list(key)));
    const passed = replies.filter(({ status }) => status === 200).length;
    served += passed;
    if (passed === quota) continue;
    const refused = replies.find(({ status }) => status === 429)!;
    expect(leftOf(refused).left).toBe(0);
    expect(refused.headers.get('retry-after')).toBe(String(leftOf(refused).seconds));
    break;
  }
  expect(served).toBe(ceiling);
  expect((await list((await app.organization()).key)).status).toBe(200);
});

describe('without a valid credential', () => {
  test('the address counts, and 401 becomes 429', async () => {
    const address = '198.51.100.1';
    for (let index = 0; index < quota; index += 1) {
      const refused = await list(index % 2 ? null : newCredential('kk_'), address);
      expect([refused.status, leftOf(refused).left]).toEqual([401, quota - 1 - index]);
      expect(refused.headers.get('www-authenticate')).not.toBeNull();
    }
    const over = await list(newCredential('kk_'), address);
    expect([over.status, over.headers.get('www-authenticate')]).toEqual([429, null]);
    expect((await list(null, '198.51.100.2')).status).toBe(401);
  });

  test('a valid key that was served here is served from an address that is over; one nobody here knows is not looked up', async () => {
    const address = '198.51.100.3';
    const [{ key }, { key: stranger }] = [
      await app.key(app.tenant.organizationId, ['messages:read']),
      await app.key(app.tenant.organizationId, ['messages:read']),
    ];
    expect((await list(key, '198.51.100.33')).status).toBe(200);
    for (let index = 0; index <= quota; index += 1) await list(null, address);
    expect((await list(null, address)).status).toBe(429);
    expect((await list(key, address)).status).toBe(200);
    expect((await list(stranger, address)).status).toBe(429);
    expect((await list(stranger, '198.51.100.34')).status).toBe(200);
  });

  test('guesses that come at once cost no more look-ups than the quota', async () => {
    const address = '198.51.100.5';
    const { pool } = app.web.deps.database;
    const { query } = pool;
    let lookUps = 0;
    pool.query = ((...given: Parameters<typeof query>) => {
      if (String(given[0]).includes('from api_keys')) lookUps += 1;
      return query.apply(pool, given);
    }) as typeof query;
    const replies = await Promise.all(Array.from({ length: 5 * quota }, () => list(newCredential('kk_'), address)));
    pool.query = query;
    expect(lookUps).toBe(quota);
    expect(replies.filter(({ status }) => status === 401)).toHaveLength(quota);
    expect(replies.filter(({ status }) => status === 429)).toHaveLength(4 * quota);
  });

  test('valid keys, however many, cost their address nothing', async () => {
    const address = '198.51.100.6';
    for (let index = 0; index < 2 * quota; index += 1) {
      const { key } = await app.key((await app.organization()).organizationId, ['messages:read']);
      expect((await list(key, address)).status).toBe(200);
    }
    expect(leftOf(await list(null, address)).left).toBe(quota - 1);
  });

  test('hosts of one /64 are one address', async () => {
    expect(leftOf(await list(null, '2001:db8:1:2::1')).left).toBe(19);
    expect(leftOf(await list(null, '2001:db8:1:2:3::9')).left).toBe(18);
    expect(leftOf(await list(null, '2001:db8:1:3::1')).left).toBe(19);
    expect(leftOf(await list(null, '::ffff:198.51.100.4')).left).toBe(19);
    expect(leftOf(await list(null, '198.51.100.4')).left).toBe(18);
  });
});

test("the provider's webhooks have no limit and say nothing of one", async () => {
  const unlimited = definitions.filter(({ isUnlimited }) => isUnlimited);
  expect(unlimited.map(({ path }) => path.split('/')[2])).toEqual(Array(7).fill('providers'));
  for (let index = 0; index < quota + 5; index += 1) {
    const reply = await app.webhook({ entry: [] });
    expect([reply.status, reply.headers.get('ratelimit'), reply.headers.get('ratelimit-policy')]).toEqual([200, null, null]);
  }
  for (let index = 0; index < quota + 5; index += 1)
    expect((await app.webhook({ entry: [] }, { signature: 'sha256=00' })).status).toBe(401);
});

test("guesses at channels' callbacks cost the address, but for a channel that was right here before", async () => {
  const own = await app.connect({ body: { app_secret: 'its own', verify_token: 'its own token' } });
  const address = '198.51.100.7';
  const deliver = (id: string, secret: string) =>
    app.webhook({ entry: [] }, { path: `/${id}`, secret, headers: { 'x-forwarded-for': address } });
  expect((await deliver(own.id, 'its own')).status).toBe(200);
  for (let index = 0; index < quota; index += 1) expect((await deliver(randomUUID(), 'a guess')).status).toBe(404);
  expect((await deliver(randomUUID(), 'a guess')).status).toBe(429);
  const shaken = await app.raw('GET', `/v1/providers/messaging-app/webhook/${randomUUID()}`, {
    key: null,
    headers: { 'x-forwarded-for': address },
  });
  expect(shaken.status).toBe(429);
  expect((await deliver(own.id, 'its own')).status).toBe(200);
});

test('a wrong signature or verify token costs the address, and what is right stays free', async () => {
  const { id } = await app.connect({ body: { app_secret: 'its own', verify_token: 'its own token' } });
  const paths = [`/${id}`, ''];
  for (const [index, path] of paths.entries()) {
    const address = `198.51.100.2${index}`;
    const headers = { 'x-forwarded-for': address };
    const deliver = (more: object) => app.webhook({ entry: [] }, { path, headers, ...more });
    const right = path ? { secret: 'its own' } : {};
    const shaken = () =>
      app.raw('GET', `/v1/providers/messaging-app/webhook${path}?hub.mode=subscribe&hub.challenge=1&hub.verify_token=a%20guess`, {
        key: null,
        headers,
      });
    expect((await deliver(right)).status).toBe(200);
    for (let round = 0; round < quota / 2; round += 1) {
      expect((await deliver({ secret: 'a guess' })).status).toBe(401);
      expect((await shaken()).status).toBe(403);
    }
    const refused = await deliver({ secret: 'a guess' });
    expect([path, refused.status, refused.body.error.code]).toEqual([path, 429, 'rate_limited']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await shaken()).status).toBe(429);
    expect((await deliver(right)).status).toBe(200);
  }
});

test("a channel's own callback has a limit, which a wrong signature does not spend", async () => {
  const own = await app.connect({ body: { app_secret: 'its own', verify_token: 'its own token' } });
  const other = await app.connect({ body: { app_secret: 'its own', verify_token: 'its own token' } });
  const deliver = ({ id }: { id: string }, secret = 'its own') => app.webhook({ entry: [] }, { path: `/${id}`, secret });
  for (let index = 0; index < 8; index += 1) expect((await deliver(own, 'a guess')).status).toBe(401);
  for (let index = 0; index < 5; index += 1) expect((await deliver(own)).status).toBe(200);
  const refused = await deliver(own);
  expect([refused.status, refused.body.error.code]).toEqual([429, 'rate_limited']);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await deliver(other)).status).toBe(200);
});

test('the credentials that an organization has tried at a provider have a limit, and another organization its own', async () => {
  const tenant = await app.organization();
  const body = { provider: 'google', credentials: { refresh_token: 'sandbox-refresh-token-of-limits' } };
  const create = (key: string, more: object = {}) => app.call('connections.create', { key, body: { ...body, ...more } });
  const { id } = (await create(tenant.key)).body;
  expect((await create(tenant.key, { credentials: { refresh_token: 'unknown' } })).status).toBe(422);
  const change = { key: tenant.key, params: { connectionID: id }, body: { credentials: body.credentials } };
  expect((await app.call('connections.update', change)).status).toBe(200);
  for (const refused of [await create(tenant.key), await app.call('connections.update', change)]) {
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  }
  expect((await app.call('connections.update', { ...change, body: { name: 'Other' } })).status).toBe(200);
  expect((await create((await app.organization()).key)).status).toBe(201);
});
