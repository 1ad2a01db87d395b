import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Role } from '../../../src/organizations/roles.ts';
import { scopesOf } from '../../../src/organizations/roles.ts';
import { actsOf } from '../../support/acts.ts';
import { type Tenant, useApp } from '../../support/app.ts';
import { bearerToken, type Person, person, sessionHeaders } from '../../support/factories/person.ts';
import { storedApiKeys, storedBearerTokens, storedMemberships, storedSessions } from '../../support/stored/accounts.ts';

const app = useApp();
const nobody = '01932d5f-3a0e-7cc4-8f4e-0242ac120001';
type Headers = Record<string, string>;

/** Each test has an organization of its own. */
let tenant: Tenant;
beforeEach(async () => {
  tenant = await app.organization();
});

const member = (role: Role): Promise<Person> => person(app.em(), tenant.organizationId, role);
const as = async ({ userId }: Person): Promise<Headers> => (await sessionHeaders(app.em(), userId, app.base)).headers;
const asKey = (key: string): Headers => ({ 'x-api-key': key });
const change = (headers: Headers, memberID: string, role: string) =>
  app.call('members.update', { key: null, headers, params: { memberID }, body: { role } });
const remove = (headers: Headers, memberID: string) => app.call('members.delete', { key: null, headers, params: { memberID } });
const list = (query: Record<string, string | number | boolean> = {}) => app.call('members.list', { key: tenant.key, query });
const roleOf = async (userId: string): Promise<Role | undefined> =>
  (await storedMemberships.all(app, { organization_id: tenant.organizationId, user_id: userId }, { columns: ['role'] }))[0]?.role;
/** A key of a role and scopes of one's choice, as a person of that role would have made it. */
async function keyOf(role: Role, scopes: Iterable<string> = scopesOf[role]): Promise<Headers> {
  const { key, keyId } = await app.key(tenant.organizationId, [...scopes] as never);
  await storedApiKeys.change(app, keyId, { role });
  return asKey(key);
}

describe('the list', () => {
  test.each([1, 2, 3])('in pages of %i, newest first, each member once', async (limit) => {
    const made = [];
    for (const role of ['owner', 'admin', 'agent', 'viewer', 'viewer'] as const) made.unshift((await member(role)).userId);
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const { status, body } = await list({ limit, include_total: true, ...(cursor && { cursor }) });
      expect([status, body.meta.total, body.meta.limit]).toEqual([200, 5, limit]);
      expect(body.items.length).toBe(Math.min(limit, 5 - seen.length));
      seen.push(...body.items.map(({ id }: { id: string }) => id));
      expect(body.meta.has_more).toBe(seen.length < 5);
      cursor = body.meta.next_cursor;
    } while (cursor);
    expect(seen).toEqual(made);
  });

  test('members of the same moment are not lost between two pages', async () => {
    for (let count = 0; count < 4; count += 1) await member('viewer');
    await storedMemberships.change(
      app,
      { organization_id: tenant.organizationId },
      { created_at: '2026-01-01T00:00:00.123456Z' },
    );
    const first = await list({ limit: 3 });
    const second = await list({ limit: 3, cursor: first.body.meta.next_cursor });
    const ids = [...first.body.items, ...second.body.items].map(({ id }: { id: string }) => id);
    expect(new Set(ids).size).toBe(4);
  });

  test('shows what a member is, and no total unless asked', async () => {
    const ada = await member('admin');
    const { body } = await list();
    expect(body).toEqual({
      items: [
        {
          id: ada.userId,
          name: ada.name,
          email: ada.email,
          role: 'admin',
          created_at: expect.any(String),
          updated_at: expect.any(String),
        },
      ],
      meta: { has_more: false, limit: 25 },
    });
  });

  test.each(['api-keys.list', 'invitations.list', 'audit-log.list'])('a cursor of %s is a 400', async (operationId) => {
    await app.call('api-keys.create', { key: tenant.key, body: { name: 'One', scopes: ['messages:read'] } });
    for (const email of ['a@example.com', 'b@example.com'])
      await app.call('invitations.create', { key: tenant.key, body: { email, role: 'viewer' } });
    const { body } = await app.call(operationId, { key: tenant.key, query: { limit: 1 } });
    expect(body.meta.next_cursor).toEqual(expect.any(String));
    const reply = await list({ limit: 1, cursor: body.meta.next_cursor });
    expect([reply.status, reply.body.error.code]).toEqual([400, 'bad_request']);
  });

  test.each([
    ['limit', 0],
    ['limit', 101],
    ['limit', 'all'],
    ['include_total', 'maybe'],
    ['offset', 1],
    ['role', 'owner'],
  ])('%s=%s is a 422', async (name, value) => {
    const reply = await list({ [name]: value });
    expect([reply.status, reply.body.error.details[0].field]).toEqual([422, name]);
  });

  test('never shows members of another organization', async () => {
    const stranger = await person(app.em(), (await app.organization()).organizationId);
    await member('viewer');
    const { body } = await list({ include_total: true });
    expect(body.meta.total).toBe(1);
    expect(JSON.stringify(body)).not.toContain(stranger.userId);
  });
});

describe('a role above the own is out of reach', () => {
  const cases: [by: Role, of: Role, to: Role, status: number][] = [
    ['owner', 'owner', 'viewer', 200],
    ['owner', 'viewer', 'owner', 200],
    ['owner', 'admin', 'agent', 200],
    ['admin', 'admin', 'viewer', 200],
    ['admin', 'viewer', 'admin', 200],
    ['admin', 'agent', 'owner', 403],
    ['admin', 'owner', 'admin', 403],
    ['admin', 'owner', 'owner', 403],
    ['agent', 'viewer', 'agent', 403],
    ['viewer', 'viewer', 'owner', 403],
  ];

  test.each(cases)('%s makes %s %s: %i, by session, token and key alike', async (by, of, to, status) => {
    await member('owner');
    const maker = await member(by);
    const { headers: token } = await bearerToken(app.em(), tenant.organizationId, maker.userId);
    for (const headers of [await as(maker), token, await keyOf(by)]) {
      const subject = await member(of);
      const reply = await change(headers, subject.userId, to);
      expect(reply.status).toBe(status);
      expect(await roleOf(subject.userId)).toBe(status === 200 ? to : of);
      const acts = await actsOf(app, reply);
      expect(acts).toHaveLength(status === 200 ? 1 : 0);
      if (status !== 200) continue;
      expect(reply.body).toMatchObject({ id: subject.userId, role: to });
      expect(acts[0]).toMatchObject({
        organization_id: tenant.organizationId,
        action: 'members.update',
        subject: `member:${subject.userId}`,
        details: { role: to },
      });
    }
  });

  test('nobody raises their own role', async () => {
    const admin = await member('admin');
    const reply = await change(await as(admin), admin.userId, 'owner');
    expect([reply.status, reply.body.error.message]).toEqual([403, 'The role owner is above yours (admin)']);
  });

  test('an admin removes no owner, an owner does', async () => {
    const [owner, admin, other] = [await member('owner'), await member('admin'), await member('owner')];
    expect((await remove(await as(admin), owner.userId)).status).toBe(403);
    expect(await roleOf(owner.userId)).toBe('owner');
    expect((await remove(await as(other), owner.userId)).status).toBe(204);
    expect(await roleOf(owner.userId)).toBeUndefined();
  });

  test('a key gives no role whose scopes it lacks, and takes none away', async () => {
    await member('owner');
    const subject = await member('viewer');
    const narrow = await keyOf('owner', ['members:read', 'members:write']);
    for (const reply of [await change(narrow, subject.userId, 'agent'), await remove(narrow, subject.userId)]) {
      expect(reply.status).toBe(403);
      expect(reply.body.error.message).toMatch(/^You cannot grant the scope [a-z_]+:(read|write): you do not have it$/);
    }
    const wide = await keyOf('owner', new Set([...scopesOf.agent, 'members:write']));
    expect((await change(wide, subject.userId, 'agent')).status).toBe(200);
    expect((await change(wide, subject.userId, 'admin')).status).toBe(403);
  });

  test('a role nobody knows is a 422', async () => {
    const reply = await change(asKey(tenant.key), (await member('viewer')).userId, 'root');
    expect([reply.status, reply.body.error.details[0]]).toEqual([
      422,
      expect.objectContaining({ field: 'role', code: 'any.only' }),
    ]);
  });
});

describe('the last owner', () => {
  test('stays, whoever asks', async () => {
    const owner = await member('owner');
    await member('admin');
    for (const headers of [await as(owner), asKey(tenant.key)]) {
      for (const reply of [await change(headers, owner.userId, 'admin'), await remove(headers, owner.userId)]) {
        expect([reply.status, reply.body.error.code]).toEqual([409, 'conflict']);
        expect(await actsOf(app, reply)).toEqual([]);
      }
      expect((await change(headers, owner.userId, 'owner')).status).toBe(200);
    }
    expect(await roleOf(owner.userId)).toBe('owner');
  });

  test('an owner elsewhere does not count', async () => {
    const owner = await member('owner');
    await person(app.em(), (await app.organization()).organizationId, 'owner');
    expect((await remove(await as(owner), owner.userId)).status).toBe(409);
  });

  test('two owners who demote each other at once: one of them stays, twenty times', async () => {
    const pairs = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const { organizationId } = await app.organization();
        const both = [await person(app.em(), organizationId), await person(app.em(), organizationId)] as const;
        return { organizationId, both, headers: [await as(both[0]), await as(both[1])] as const };
      }),
    );
    for (const { organizationId, both, headers } of pairs) {
      const replies = await Promise.all([change(headers[0], both[1].userId, 'viewer'), remove(headers[1], both[0].userId)]);
      expect(replies.filter(({ status }) => status < 300)).toHaveLength(1);
      const owners = await storedMemberships.all(
        app,
        { organization_id: organizationId, role: 'owner' },
        { columns: ['user_id'] },
      );
      expect(owners).toHaveLength(1);
    }
  });
});

describe('whoever is removed', () => {
  test('has no token for it any more, and no session in it, at once', async () => {
    await member('owner');
    const subject = await member('admin');
    const elsewhere = await app.organization();
    await storedMemberships.add(app, { organization_id: elsewhere.organizationId, user_id: subject.userId, role: 'viewer' });
    const token = await bearerToken(app.em(), tenant.organizationId, subject.userId);
    const other = await bearerToken(app.em(), elsewhere.organizationId, subject.userId);
    const session = await as(subject);
    const ask = (headers: Headers) => app.call('members.list', { key: null, headers });
    await storedSessions.change(app, { user_id: subject.userId }, { organization_id: tenant.organizationId });
    for (const headers of [token.headers, other.headers, session]) expect((await ask(headers)).status).toBe(200);

    expect((await remove(asKey(tenant.key), subject.userId)).status).toBe(204);
    expect((await ask(token.headers)).status).toBe(401);
    expect(await storedBearerTokens.all(app, { user_id: subject.userId }, { columns: ['id'] })).toEqual([{ id: other.id }]);
    const refused = await ask(session);
    expect([refused.status, refused.body.error.message]).toEqual([403, 'No organization is active: members:read is needed']);
    expect((await app.call('auth.me.get', { key: null, headers: session })).body.data).toMatchObject({
      organization_id: null,
      role: null,
      scopes: [],
      organizations: [{ id: elsewhere.organizationId }],
    });
    expect((await ask(other.headers)).status).toBe(200);
    const back = { key: null, headers: session, body: { organization_id: tenant.organizationId } };
    expect((await app.call('auth.session.active-organization', back)).status).toBe(403);
  });

  test('a lower role takes from tokens and sessions at once', async () => {
    await member('owner');
    const subject = await member('admin');
    const { headers: token } = await bearerToken(app.em(), tenant.organizationId, subject.userId);
    const session = await as(subject);
    const ask = (headers: Headers) => app.call('api-keys.list', { key: null, headers });
    for (const headers of [token, session]) expect((await ask(headers)).status).toBe(200);
    expect((await change(asKey(tenant.key), subject.userId, 'agent')).status).toBe(200);
    for (const headers of [token, session]) expect((await ask(headers)).status).toBe(403);
  });

  test('grants nothing with a token that another process still remembers', async () => {
    await member('owner');
    const [removed, demoted] = [await member('owner'), await member('owner')];
    const tokens = [];
    for (const { userId } of [removed, demoted])
      tokens.push((await bearerToken(app.em(), tenant.organizationId, userId)).headers);
    const list = (headers: Headers) => app.call('members.list', { key: null, headers });
    for (const headers of tokens) expect((await list(headers)).status).toBe(200);
    await storedMemberships.remove(app, { user_id: removed.userId });
    await storedMemberships.change(app, { user_id: demoted.userId }, { role: 'admin' });
    for (const [headers, status] of [
      [tokens[0]!, 401],
      [tokens[1]!, 403],
    ] as const) {
      expect((await list(headers)).status).toBe(200);
      const body = { email: 'back-door@example.com', role: 'owner' };
      expect((await app.call('invitations.create', { key: null, headers, body })).status).toBe(status);
      expect((await change(headers, demoted.userId, 'owner')).status).toBe(status);
    }
    expect(await roleOf(demoted.userId)).toBe('admin');
  });

  test('with a row in the audit log; removed again, they are not there', async () => {
    await member('owner');
    const subject = await member('viewer');
    const reply = await remove(asKey(tenant.key), subject.userId);
    expect([reply.status, reply.text]).toEqual([204, '']);
    expect(await actsOf(app, reply)).toEqual([
      expect.objectContaining({
        organization_id: tenant.organizationId,
        actor: `key:${tenant.keyId}`,
        action: 'members.delete',
        subject: `member:${subject.userId}`,
      }),
    ]);
    const again = await remove(asKey(tenant.key), subject.userId);
    expect([again.status, await actsOf(app, again)]).toEqual([404, []]);
  });
});

test('one of another organization, one nobody knows and an id that is none answer alike', async () => {
  const stranger = await person(app.em(), (await app.organization()).organizationId, 'viewer');
  const headers = asKey(tenant.key);
  const bodies = new Set<string>();
  for (const memberID of [stranger.userId, nobody, 'not-an-id'])
    for (const reply of [
      await app.call('members.get', { key: tenant.key, params: { memberID } }),
      await change(headers, memberID, 'viewer'),
      await remove(headers, memberID),
    ]) {
      expect(reply.status).toBe(404);
      const { request_id: _, ...error } = reply.body.error;
      bodies.add(JSON.stringify(error));
    }
  expect([...bodies]).toHaveLength(1);
  expect([...bodies][0]).toContain('Member not found');
});

test('one member by its id', async () => {
  const ada = await member('agent');
  const { status, body } = await app.call('members.get', { key: tenant.key, params: { memberID: ada.userId } });
  expect([status, body]).toEqual([200, (await list()).body.items[0]]);
});
