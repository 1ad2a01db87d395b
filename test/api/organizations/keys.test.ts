import { beforeEach, describe, expect, test } from '@jest/globals';
import { createAuthenticate } from '../../../src/accounts/authenticate.ts';
import { type Scope, scopes } from '../../../src/organizations/scopes.ts';
import { looksLike } from '../../../src/platform/credentials.ts';
import { sha256 } from '../../../src/platform/secrets.ts';
import { actsOf } from '../../support/acts.ts';
import { type Body, type Reply, type Tenant, useApp } from '../../support/app.ts';
import { bearerToken, person, sessionHeaders } from '../../support/factories/person.ts';
import { later } from '../../support/later.ts';
import { storedApiKeys } from '../../support/stored/accounts.ts';
import { ahead, now } from '../../support/stored/times.ts';

const app = useApp();
type Headers = Record<string, string>;
const nobody = '01932d5f-3a0e-7cc4-8f4e-0242ac120001';
const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();

let tenant: Tenant;
beforeEach(async () => {
  tenant = await app.organization();
});

const asKey = (key: string): Headers => ({ 'x-api-key': key });
const create = (body: object, headers: Headers = asKey(tenant.key)): Promise<Reply> =>
  app.call('api-keys.create', { key: null, headers, body });
const made = async (more: object = {}): Promise<Body> => {
  const { status, body } = await create({ name: 'Till', scopes: ['messages:read'], ...more });
  expect(status).toBe(201);
  return body;
};
const rotate = (keyID: string, body: object = {}, headers: Headers = asKey(tenant.key)): Promise<Reply> =>
  app.call('api-keys.rotate', { key: null, headers, params: { keyID }, body });
const revoke = (keyID: string, headers: Headers = asKey(tenant.key)): Promise<Reply> =>
  app.call('api-keys.delete', { key: null, headers, params: { keyID } });
const get = (keyID: string, key = tenant.key): Promise<Reply> => app.call('api-keys.get', { key, params: { keyID } });
const list = async (): Promise<Body[]> => (await app.call('api-keys.list', { key: tenant.key })).body.items;
const works = async (key: string) => (await app.call('messages.list', { key })).status === 200;
const stored = (id: string): Promise<Body> => storedApiKeys.one(app, id);
const expire = (id: string) => storedApiKeys.change(app, id, { expires_at: now() });
const total = async (): Promise<number> => await storedApiKeys.count(app, { organization_id: tenant.organizationId });

describe('made', () => {
  test('shown once, with a row in the audit log; only its hash is stored', async () => {
    const reply = await create({ name: '  Till ', scopes: ['messages:read', 'messages:write', 'messages:read'] });
    const { key, ...shown } = reply.body;
    expect(reply.status).toBe(201);
    expect(shown).toEqual({
      id: expect.any(String),
      name: 'Till',
      hint: key.slice(0, 8),
      scopes: ['messages:read', 'messages:write'],
      role: 'owner',
      expires_at: null,
      last_used_at: null,
      revoked_at: null,
      created_by: `key:${tenant.keyId}`,
      replaces_id: null,
      created_at: expect.any(String),
    });
    expect(key).toMatch(/^kk_[0-9A-Za-z]{38}$/);
    expect(looksLike('kk_', key)).toBe(true);
    expect(reply.headers.get('location')).toBe(`/v1/api-keys/${shown.id}`);
    expect(await works(key)).toBe(true);
    const row = await stored(shown.id);
    expect(row.hash).toEqual(sha256(key));
    expect(JSON.stringify(row)).not.toContain(key.slice(8));
    expect(await actsOf(app, reply)).toEqual([
      expect.objectContaining({
        organization_id: tenant.organizationId,
        actor: `key:${tenant.keyId}`,
        action: 'api-keys.create',
        subject: `api_key:${shown.id}`,
        details: { name: 'Till', scopes: ['messages:read', 'messages:write'] },
      }),
    ]);
  });

  test.each([
    ['no name', { scopes: ['messages:read'] }, 'name'],
    ['a blank name', { name: ' ', scopes: ['messages:read'] }, 'name'],
    ['a name too long', { name: 'x'.repeat(201), scopes: ['messages:read'] }, 'name'],
    ['no scopes', { name: 'Till' }, 'scopes'],
    ['an empty list of scopes', { name: 'Till', scopes: [] }, 'scopes'],
    ['a scope for a list', { name: 'Till', scopes: 'messages:read' }, 'scopes'],
    ['a scope nobody knows', { name: 'Till', scopes: ['messages:read', 'messages:*'] }, 'scopes[1]'],
    ['a scope that is none', { name: 'Till', scopes: ['audit:write'] }, 'scopes[0]'],
    ['more scopes than there are', { name: 'Till', scopes: Array(101).fill('messages:read') }, 'scopes'],
    ['an end in the past', { name: 'Till', scopes: ['messages:read'], expires_at: inHours(-1) }, 'expires_at'],
    ['an end that is no time', { name: 'Till', scopes: ['messages:read'], expires_at: 'tomorrow' }, 'expires_at'],
    ['an end as a number', { name: 'Till', scopes: ['messages:read'], expires_at: 4_102_444_800_000 }, 'expires_at'],
    ['a role', { name: 'Till', scopes: ['messages:read'], role: 'owner' }, 'role'],
    ['a key of its own choice', { name: 'Till', scopes: ['messages:read'], key: 'kk_mine' }, 'key'],
  ])('not with %s', async (_what, body, field) => {
    const reply = await create(body);
    expect([reply.status, reply.body.error.details.map((detail: Body) => detail.field)]).toEqual([422, [field]]);
    expect([await total(), await actsOf(app, reply)]).toEqual([1, []]);
  });

  test('not with a scope its maker lacks: 403 naming it', async () => {
    const { key } = await app.key(tenant.organizationId, ['api_keys:write', 'messages:read']);
    const reply = await create({ name: 'Till', scopes: ['messages:read', 'messages:write'] }, asKey(key));
    expect([reply.status, reply.body.error.message]).toEqual([
      403,
      'You cannot grant the scope messages:write: you do not have it',
    ]);
    expect((await create({ name: 'Till', scopes: ['messages:read'] }, asKey(key))).status).toBe(201);
  });

  test('its role is its maker’s, by session, token and key', async () => {
    const admin = await person(app.em(), tenant.organizationId, 'admin');
    const { headers: session } = await sessionHeaders(app.em(), admin.userId, app.base);
    const first = await create({ name: 'First', scopes: ['api_keys:write', 'messages:read'] }, session);
    expect(first.body).toMatchObject({ role: 'admin', created_by: `user:${admin.userId}` });
    const second = await create({ name: 'Second', scopes: ['messages:read'] }, asKey(first.body.key));
    expect(second.body).toMatchObject({ role: 'admin', created_by: `key:${first.body.id}` });
    const narrow = await bearerToken(app.em(), tenant.organizationId, admin.userId, ['api_keys:write', 'messages:read']);
    const ofToken = (wanted: Scope) => create({ name: 'Third', scopes: [wanted], expires_at: inHours(1) }, narrow.headers);
    expect((await ofToken('messages:read')).body).toMatchObject({ role: 'admin', created_by: `user:${admin.userId}` });
    expect((await ofToken('messages:write')).status).toBe(403);
  });

  test('what is made with a credential that ends does not outlive it', async () => {
    const owner = await person(app.em(), tenant.organizationId);
    const token = await bearerToken(app.em(), tenant.organizationId, owner.userId);
    const expiring = await made({ scopes: [...scopes], expires_at: inHours(24) });
    for (const headers of [token.headers, asKey(expiring.key)]) {
      for (const expires_at of [null, inHours(25)]) {
        const reply = await create({ name: 'Longer', scopes: ['messages:read'], expires_at }, headers);
        expect([reply.status, reply.body.error.message]).toEqual([
          403,
          expect.stringMatching(/^It would outlive what it is made with/),
        ]);
      }
      const unsaid = await create({ name: 'As long', scopes: ['messages:read'] }, headers);
      expect([unsaid.status, unsaid.body.expires_at]).toEqual([201, expect.any(String)]);
      expect((await create({ name: 'Shorter', scopes: ['messages:read'], expires_at: inHours(23) }, headers)).status).toBe(201);
    }
  });

  test('at most 200 that work; ended ones do not count', async () => {
    await storedApiKeys.addMany(app, 199, (n) => ({
      organization_id: tenant.organizationId,
      name: 'many',
      hash: sha256(`${tenant.keyId}${n}`),
      scopes: [],
    }));
    const before = await list();
    const reply = await create({ name: 'One more', scopes: ['messages:read'] });
    expect([reply.status, reply.body.error.code]).toEqual([422, 'limit_reached']);
    await revoke(before[0].id);
    const replies = await Promise.all([1, 2, 3].map(() => create({ name: 'One more', scopes: ['messages:read'] })));
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 422, 422]);
    await expire(before[1].id);
    expect((await create({ name: 'One more', scopes: ['messages:read'] })).status).toBe(201);
  });

  test('with an Idempotency-Key the same caller is shown the same key, another one nothing', async () => {
    const owner = await person(app.em(), tenant.organizationId);
    const { headers: session } = await sessionHeaders(app.em(), owner.userId, app.base);
    const body = { name: 'Till', scopes: ['messages:read'] };
    const ask = (headers: Headers) => create(body, { ...headers, 'idempotency-key': 'once' });
    const first = await ask(session);
    const again = await ask(session);
    expect([again.status, again.body, again.headers.get('idempotent-replayed')]).toEqual([201, first.body, 'true']);
    expect(await actsOf(app, again)).toEqual([]);
    // The user’s own token that could not have made it is another caller too.
    const token = await bearerToken(app.em(), tenant.organizationId, owner.userId, ['api_keys:write']);
    for (const headers of [asKey(tenant.key), token.headers]) {
      const other = await ask(headers);
      expect([other.status, other.body.error.code]).toEqual([422, 'idempotency_mismatch']);
    }
    expect(await total()).toBe(2);
  });
});

describe('read', () => {
  test('in a list and alone, newest first, in pages, without the key', async () => {
    const keys = [
      await made({ name: 'One' }),
      await made({ name: 'Two', expires_at: inHours(1) }),
      await made({ name: 'Three' }),
    ];
    await revoke(keys[2].id);
    const items = await list();
    expect(items.map(({ name }) => name)).toEqual(['Three', 'Two', 'One', 'test']);
    expect(items[0].revoked_at).toEqual(expect.any(String));
    for (const { id, key } of keys) {
      const { status, body, text } = await get(id);
      expect([status, body]).toEqual([200, items.find((item) => item.id === id)]);
      expect(text + JSON.stringify(items)).not.toContain(key.slice(8));
    }
    const pages = [];
    let cursor: string | undefined;
    do {
      const query = { limit: 3, include_total: true, ...(cursor && { cursor }) };
      const { body } = await app.call('api-keys.list', { key: tenant.key, query });
      expect(body.meta.total).toBe(4);
      pages.push(...body.items);
      cursor = body.meta.next_cursor;
    } while (cursor);
    expect(pages).toEqual(items);
  });

  test('last_used_at tells of its last use, to the minute', async () => {
    const { id, key } = await made();
    expect((await get(id)).body.last_used_at).toBeNull();
    expect(await works(key)).toBe(true);
    await app.web.deps.authenticate.settled();
    const first = (await get(id)).body.last_used_at;
    expect(Math.abs(Date.parse(first) - Date.now())).toBeLessThan(60_000);
    // Another process, a moment later: the minute is not over.
    const another = createAuthenticate(app.web.deps.database);
    expect(await another.key(key)).toBeDefined();
    await another.settled();
    expect((await get(id)).body.last_used_at).toBe(first);
    await storedApiKeys.change(app, id, { last_used_at: new Date(Date.parse(first) - 61_000).toISOString() });
    const third = createAuthenticate(app.web.deps.database);
    await third.key(key);
    await third.settled();
    expect(Date.parse((await get(id)).body.last_used_at)).toBeGreaterThan(Date.parse(first) - 61_000);
  });
});

describe('revoked', () => {
  test('at once here, and asked again it stays so', async () => {
    const { id, key } = await made();
    expect(await works(key)).toBe(true);
    const reply = await revoke(id);
    expect([reply.status, reply.text]).toEqual([204, '']);
    expect(await works(key)).toBe(false);
    expect(await actsOf(app, reply)).toEqual([
      expect.objectContaining({ action: 'api-keys.delete', subject: `api_key:${id}`, organization_id: tenant.organizationId }),
    ]);
    const { revoked_at: at } = await stored(id);
    expect((await revoke(id)).status).toBe(204);
    expect((await stored(id)).revoked_at).toEqual(at);
  });

  test('in another process once what it remembers is over', async () => {
    const { id, key } = await made();
    const elsewhere = createAuthenticate(app.web.deps.database);
    const caller = await elsewhere.key(key);
    expect(caller?.id).toBe(id);
    await revoke(id);
    expect(await elsewhere.key(key)).toBe(caller);
    expect(await later(5_001, async () => elsewhere.key(key))).toBeUndefined();
  });

  test('itself, by a key that may', async () => {
    const { id, key } = await made({ scopes: ['api_keys:write'] });
    expect((await revoke(id, asKey(key))).status).toBe(204);
    expect((await revoke(id, asKey(key))).status).toBe(401);
  });
});

test.each([
  ['revoked', 'revoked_at'],
  ['expired', 'expires_at'],
] as const)('one that was %s elsewhere grants nothing in the seconds it is still remembered here', async (_what, column) => {
  await person(app.em(), tenant.organizationId);
  const subject = await person(app.em(), tenant.organizationId, 'viewer');
  const { id, key } = await made({ scopes: [...scopes] });
  const old = await made();
  expect(await works(key)).toBe(true);
  await storedApiKeys.change(app, id, { [column]: now() });
  expect(await works(key)).toBe(true);
  const headers = asKey(key);
  for (const reply of [
    await create({ name: 'Survivor', scopes: ['messages:read'] }, headers),
    await rotate(old.id, {}, headers),
    await rotate(id, {}, headers),
    await app.call('invitations.create', { key, body: { email: 'back-door@example.com', role: 'owner' } }),
    await app.call('members.update', { key, params: { memberID: subject.userId }, body: { role: 'owner' } }),
    await app.call('members.delete', { key, params: { memberID: subject.userId } }),
  ])
    expect([reply.status, await actsOf(app, reply)]).toEqual([401, []]);
  expect(await total()).toBe(3);
});

describe('expired', () => {
  test('it is nobody’s', async () => {
    const { id, key } = await made({ expires_at: inHours(1) });
    await expire(id);
    expect(await works(key)).toBe(false);
    expect((await get(id)).body.revoked_at).toBeNull();
  });

  test('within the time it is remembered, too', async () => {
    const { id, key } = await made();
    await storedApiKeys.change(app, id, { expires_at: ahead(2, 'second') });
    const elsewhere = createAuthenticate(app.web.deps.database);
    expect((await elsewhere.key(key))?.id).toBe(id);
    await expire(id);
    // A second more than what is left: this process knows the database's clock only as well as the machine lets it. Without an end it would be 5 s.
    expect(await later(3_001, async () => elsewhere.key(key))).toBeUndefined();
  });
});

describe('rotated', () => {
  test('the new one works, the old one until the overlap ends', async () => {
    const old = await made({ name: 'Till', scopes: ['messages:read', 'messages:write'], expires_at: inHours(1000) });
    expect(await works(old.key)).toBe(true);
    const reply = await rotate(old.id, { overlap_hours: 2 });
    expect(reply.status).toBe(201);
    const { key, ...shown } = reply.body;
    const { key: _, ...before } = old;
    expect(shown).toEqual({
      ...before,
      id: expect.any(String),
      hint: key.slice(0, 8),
      replaces_id: old.id,
      created_at: expect.any(String),
    });
    expect(shown.id).not.toBe(old.id);
    expect(reply.headers.get('location')).toBe(`/v1/api-keys/${shown.id}`);
    expect([await works(key), await works(old.key)]).toEqual([true, true]);
    expect(Date.parse((await get(old.id)).body.expires_at) - Date.parse(shown.created_at)).toBeCloseTo(2 * 3_600_000, -4);
    expect(await actsOf(app, reply)).toEqual([
      expect.objectContaining({
        action: 'api-keys.rotate',
        subject: `api_key:${old.id}`,
        details: { replaced_by: shown.id, overlap_hours: 2 },
      }),
    ]);
    await expire(old.id);
    app.web.deps.authenticate.forget(old.id);
    expect([await works(key), await works(old.key)]).toEqual([true, false]);
  });

  test('a day of overlap when none is named; none at all ends the old one at once', async () => {
    const [one, two] = [await made(), await made()];
    expect(await works(two.key)).toBe(true);
    await rotate(one.id);
    const { expires_at: end } = (await get(one.id)).body;
    expect(Date.parse(end) - Date.now()).toBeCloseTo(24 * 3_600_000, -5);
    const { body } = await rotate(two.id, { overlap_hours: 0 });
    expect([await works(two.key), await works(body.key)]).toEqual([false, true]);
  });

  test('the overlap never lengthens a key’s life', async () => {
    const old = await made({ expires_at: inHours(1) });
    await rotate(old.id, { overlap_hours: 48 });
    expect((await get(old.id)).body.expires_at).toBe(old.expires_at);
  });

  test.each([
    [{ overlap_hours: -1 }],
    [{ overlap_hours: 169 }],
    [{ overlap_hours: '1' }],
    [{ overlap_hours: null }],
    [{ name: 'Other' }],
  ])('not with %j', async (body) => {
    const { id } = await made();
    expect((await rotate(id, body)).status).toBe(422);
    expect(await total()).toBe(2);
  });

  test.each([
    ['revoked', 'revoked_at'],
    ['expired', 'expires_at'],
  ] as const)('not one that is %s: 409', async (_what, column) => {
    const { id } = await made();
    await storedApiKeys.change(app, id, { [column]: now() });
    const reply = await rotate(id);
    expect([reply.status, await actsOf(app, reply), await total()]).toEqual([409, [], 2]);
  });

  test('not by who lacks a scope of it, or whose role is below its maker’s', async () => {
    const { id } = await made({ scopes: ['api_keys:write', 'messages:read'] });
    const narrow = await app.key(tenant.organizationId, ['api_keys:write']);
    const reply = await rotate(id, {}, asKey(narrow.key));
    expect([reply.status, reply.body.error.message]).toEqual([
      403,
      'You cannot grant the scope messages:read: you do not have it',
    ]);
    const admin = await person(app.em(), tenant.organizationId, 'admin');
    const { headers } = await sessionHeaders(app.em(), admin.userId, app.base);
    const below = await rotate(id, {}, headers);
    expect([below.status, below.body.error.message]).toEqual([403, 'The key was made by an owner: your role is admin']);
    expect([await total(), (await get(id)).body.expires_at]).toEqual([3, null]);
  });

  test('one without an end, not by a credential that has one', async () => {
    const { id } = await made();
    const expiring = await made({ scopes: [...scopes], expires_at: inHours(24) });
    expect((await rotate(id, {}, asKey(expiring.key))).status).toBe(403);
    expect((await rotate(expiring.id, {}, asKey(expiring.key))).status).toBe(201);
  });

  test('once: its successor is the one to rotate next', async () => {
    const { id } = await made();
    const replies = await Promise.all([rotate(id), rotate(id), rotate(id)]);
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    const next = replies.find(({ status }) => status === 201)!.body;
    expect(next.expires_at).toBeNull();
    const after = await rotate(next.id);
    expect([after.status, after.body.replaces_id, after.body.expires_at]).toEqual([201, next.id, null]);
    expect(await total()).toBe(4);
  });

  test('by itself, and the new one goes on', async () => {
    const { id, key } = await made({ scopes: ['api_keys:write'] });
    const next = await rotate(id, { overlap_hours: 0 }, asKey(key));
    expect([next.status, next.body.created_by]).toEqual([201, `key:${id}`]);
    expect((await rotate(next.body.id, {}, asKey(next.body.key))).status).toBe(201);
  });
});

test('one of another organization, one nobody knows and an id that is none answer alike', async () => {
  const other = await app.organization();
  const errors = new Set<string>();
  for (const id of [other.keyId, nobody, 'not-an-id'])
    for (const reply of [await get(id), await rotate(id), await revoke(id)]) {
      expect([reply.status, await actsOf(app, reply)]).toEqual([404, []]);
      errors.add(reply.body.error.message);
    }
  expect([...errors]).toEqual(['API key not found']);
  expect(await works(other.key)).toBe(true);
  expect(await storedApiKeys.count(app, { replaces_id: other.keyId })).toBe(0);
});
