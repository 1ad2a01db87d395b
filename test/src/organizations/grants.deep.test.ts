import { beforeAll, describe, expect, test } from '@jest/globals';
import { endSession } from '../../../src/accounts/sessions.ts';
import { createToken } from '../../../src/accounts/tokens.ts';
import { createKey } from '../../../src/organizations/keys.ts';
import type { Role } from '../../../src/organizations/roles.ts';
import { type Scope, scopes } from '../../../src/organizations/scopes.ts';
import { OwnRows } from '../../../src/platform/database/own.ts';
import { type Reply, useApp } from '../../support/app.ts';
import { bearerToken, person, sessionHeaders } from '../../support/factories/person.ts';
import { databaseNowMs, inMs, msOf } from '../../support/rules/clock.ts';
import { removeMember, setKey, setRole, storedKey } from '../../support/rules/people.ts';

/** Ways around the rule that nobody grants what they lack, each tried by hand; grants.property.test.ts tries at random. */
const app = useApp({ env: { RATE_LIMIT_PER_MINUTE: '0' } });
type Headers = Record<string, string>;
let organizationId: string;
let owner: Headers;

beforeAll(async () => {
  ({ organizationId } = app.tenant);
  owner = (await sessionFor('owner')).headers;
});

async function sessionFor(role: Role) {
  const who = await person(app.em(), organizationId, role);
  return { ...who, headers: (await sessionHeaders(app.em(), who.userId, app.base)).headers as Headers };
}
const keyOf = async (granted: Scope[], expiresAt: Date | null = null) => {
  const { id, key } = await createKey(new OwnRows(app.em(), organizationId), 'test', granted, expiresAt);
  return { id, headers: { 'x-api-key': key } as Headers };
};
const ask = (headers: Headers, operationId: string, body?: object, params: Headers = {}) =>
  app.call(operationId, { key: null, headers, params, body });
const said = ({ status, body }: Reply) => [status, body.error?.message];
const inAnHour = () => new Date(Date.now() + 3_600_000);

describe('scopes', () => {
  test('a key makes no key of more scopes, nor does one that may only make keys', async () => {
    const maker = await keyOf(['api_keys:write', 'messages:read']);
    const wanted = { name: 'more', scopes: ['messages:read', 'messages:write'] };
    expect(said(await ask(maker.headers, 'api-keys.create', wanted))).toEqual([403, expect.stringContaining('messages:write')]);
    expect((await ask(maker.headers, 'api-keys.create', { name: 'same', scopes: ['messages:read'] })).status).toBe(201);
  });

  test("somebody else's stronger key cannot be rotated into one's own hands", async () => {
    const strong = await keyOf(scopes);
    const maker = await keyOf(['api_keys:write', 'messages:read']);
    const { status } = await ask(maker.headers, 'api-keys.rotate', {}, { keyID: strong.id });
    expect(status).toBe(403);
    expect((await storedKey(app.em(), strong.id)).expires_at).toBeNull();
  });

  test('an admin does not rotate a key that an owner made', async () => {
    const admin = await sessionFor('admin');
    const made = await ask(owner, 'api-keys.create', { name: 'of the owner', scopes: ['members:write'] });
    const { status, body } = await ask(admin.headers, 'api-keys.rotate', {}, { keyID: made.body.id });
    expect([status, body.error.message]).toEqual([403, expect.stringContaining('owner')]);
  });

  test('a key that replaces itself keeps its scopes', async () => {
    const self = await keyOf(['api_keys:write', 'messages:read'], inAnHour());
    const { status, body } = await ask(self.headers, 'api-keys.rotate', { overlap_hours: 0 }, { keyID: self.id });
    expect([status, body.scopes]).toEqual([201, ['api_keys:write', 'messages:read']]);
    const { expires_at } = await storedKey(app.em(), self.id);
    expect(msOf(expires_at!)).toBeLessThanOrEqual(await databaseNowMs(app.em()));
    expect((await ask(self.headers, 'api-keys.list')).status).toBe(401);
  });

  test('a token of few scopes raises nobody, though its user could', async () => {
    const admin = await sessionFor('admin');
    const { headers } = await bearerToken(app.em(), organizationId, admin.userId, ['members:write', 'members:read']);
    const { userId } = await person(app.em(), organizationId, 'viewer');
    expect((await ask(headers, 'members.update', { role: 'agent' }, { memberID: userId })).status).toBe(403);
    expect((await ask(headers, 'invitations.create', { email: 'me.too@example.com', role: 'agent' })).status).toBe(403);
  });
});

describe('roles', () => {
  test("an admin's second email is no owner, and makes the admin none", async () => {
    const admin = await sessionFor('admin');
    const wish = { email: 'second@example.com', role: 'owner' };
    expect((await ask(admin.headers, 'invitations.create', wish)).status).toBe(403);
    const invited = await ask(admin.headers, 'invitations.create', { ...wish, role: 'admin' });
    const accepted = await app.call('invitations.accept', {
      key: null,
      body: { token: invited.body.token, name: 'Second', password: 'a better staple for it' },
    });
    expect([accepted.status, accepted.body.role]).toEqual([200, 'admin']);
    const second = await sessionHeaders(app.em(), accepted.body.user_id, app.base);
    const raise = await ask(second.headers, 'members.update', { role: 'owner' }, { memberID: admin.userId });
    expect(raise.status).toBe(403);
  });

  test('nobody raises their own role', async () => {
    for (const role of ['admin', 'agent', 'viewer'] as const) {
      const { headers, userId } = await sessionFor(role);
      expect((await ask(headers, 'members.update', { role: 'owner' }, { memberID: userId })).status).toBe(403);
    }
  });

  test('a key of all scopes makes no owner when an admin made it', async () => {
    const admin = await sessionFor('admin');
    const made = await ask(admin.headers, 'api-keys.create', { name: 'all', scopes });
    const key = { 'x-api-key': made.body.key };
    expect((await ask(key, 'invitations.create', { email: 'by.key@example.com', role: 'owner' })).status).toBe(403);
    expect((await ask(key, 'invitations.create', { email: 'by.key@example.com', role: 'admin' })).status).toBe(201);
  });

  test('the last owner stays, whoever asks', async () => {
    const alone = await app.organization();
    const { userId } = await person(app.em(), alone.organizationId);
    const { headers } = await sessionHeaders(app.em(), userId, app.base);
    for (const who of [headers, { 'x-api-key': alone.key }]) {
      expect((await ask(who, 'members.update', { role: 'admin' }, { memberID: userId })).status).toBe(409);
      expect((await ask(who, 'members.delete', undefined, { memberID: userId })).status).toBe(409);
    }
  });

  test('two owners who leave at once: one stays', async () => {
    const { organizationId: place } = await app.organization();
    const two = await Promise.all([person(app.em(), place), person(app.em(), place)]);
    const left = await Promise.all(
      two.map(async ({ userId }) => {
        const { headers } = await sessionHeaders(app.em(), userId, app.base);
        return (await ask(headers, 'members.update', { role: 'viewer' }, { memberID: userId })).status;
      }),
    );
    expect(left.sort()).toEqual([200, 409]);
  });
});

describe('time', () => {
  test('a key with an end makes none without, and none that ends later', async () => {
    const maker = await keyOf(['api_keys:write', 'messages:read'], inAnHour());
    const wish = { name: 'longer', scopes: ['messages:read'] };
    for (const expires_at of [null, new Date(Date.now() + 3_700_000).toISOString()])
      expect((await ask(maker.headers, 'api-keys.create', { ...wish, expires_at })).status).toBe(403);
    const own = await storedKey(app.em(), maker.id);
    const unsaid = await ask(maker.headers, 'api-keys.create', wish);
    expect(unsaid.status).toBe(201);
    expect(new Date(unsaid.body.expires_at)).toEqual(new Date(own.expires_at!));
    const soon = new Date(Date.now() + 60_000).toISOString();
    expect((await ask(maker.headers, 'api-keys.create', { ...wish, expires_at: soon })).status).toBe(201);
  });

  test('nor does it rotate a key without an end', async () => {
    const endless = await keyOf(['messages:read']);
    const maker = await keyOf(['api_keys:write', 'messages:read'], inAnHour());
    expect((await ask(maker.headers, 'api-keys.rotate', {}, { keyID: endless.id })).status).toBe(403);
  });
});

describe('an Idempotency-Key of somebody else', () => {
  const wish = { name: 'Till', scopes: ['messages:read'] };

  test.each([
    ['another person', async () => (await sessionFor('admin')).headers],
    ['a key', async () => (await keyOf(['api_keys:write'])).headers],
  ])('%s gets no secret by it', async (_who, other) => {
    const key = { 'idempotency-key': `guessed-${_who}` };
    const first = await ask({ ...owner, ...key }, 'api-keys.create', wish);
    expect(first.status).toBe(201);
    const { status, text } = await ask({ ...(await other()), ...key }, 'api-keys.create', wish);
    expect([status, text.includes(first.body.key)]).toEqual([422, false]);
  });

  test('nor does a weaker token of the same person', async () => {
    const { headers, userId } = await sessionFor('owner');
    const token = await bearerToken(app.em(), organizationId, userId, ['api_keys:write']);
    const key = { 'idempotency-key': 'of-the-session' };
    const first = await ask({ ...headers, ...key }, 'api-keys.create', wish);
    const { status, text } = await ask({ ...token.headers, ...key }, 'api-keys.create', wish);
    expect([status, text.includes(first.body.key)]).toEqual([422, false]);
  });
});

/** As another process sees it for the seconds in which it remembers a credential: the rows change and nobody tells this one. */
describe('what was taken away elsewhere a moment ago', () => {
  const ways: [string, (headers: Headers, ids: { keyID: string; memberID: string }) => Promise<Reply>][] = [
    ['a key', (headers) => ask(headers, 'api-keys.create', { name: 'late', scopes: ['messages:read'], expires_at: inAnHour() })],
    ['a rotation', (headers, { keyID }) => ask(headers, 'api-keys.rotate', {}, { keyID })],
    ['an invitation', (headers) => ask(headers, 'invitations.create', { email: 'late@example.com', role: 'admin' })],
    ['a role', (headers, { memberID }) => ask(headers, 'members.update', { role: 'admin' }, { memberID })],
    ['a removal', (headers, { memberID }) => ask(headers, 'members.delete', undefined, { memberID })],
  ];
  const subjects = async () => ({
    keyID: (await keyOf(['messages:read'], new Date(Date.now() + 60_000))).id,
    memberID: (await person(app.em(), organizationId, 'viewer')).userId,
  });

  test.each(ways)('%s by a revoked key: 401', async (_what, grant) => {
    const key = await keyOf(scopes);
    const ids = await subjects();
    expect((await ask(key.headers, 'api-keys.list')).status).toBe(200);
    await setKey(app.em(), key.id, { revoked_at: inMs(0) });
    const { status, headers } = await grant(key.headers, ids);
    expect([status, headers.get('www-authenticate')]).toEqual([401, expect.stringContaining('ApiKey realm=')]);
  });

  test.each(ways)('%s by the token of an admin who is a viewer now: 403', async (_what, grant) => {
    const { userId } = await person(app.em(), organizationId, 'admin');
    const { headers } = await bearerToken(app.em(), organizationId, userId);
    const ids = await subjects();
    expect((await ask(headers, 'api-keys.list')).status).toBe(200);
    await setRole(app.em(), userId, 'viewer');
    expect((await grant(headers, ids)).status).toBe(403);
  });

  test.each(ways)('%s by the token of one who is a member no more: 401', async (_what, grant) => {
    const { userId } = await person(app.em(), organizationId, 'admin');
    const { headers } = await bearerToken(app.em(), organizationId, userId);
    const ids = await subjects();
    expect((await ask(headers, 'api-keys.list')).status).toBe(200);
    await removeMember(app.em(), userId);
    expect((await grant(headers, ids)).status).toBe(401);
  });

  test('a token by a session that ends before the work begins: 401', async () => {
    const { userId } = await person(app.em(), organizationId, 'admin');
    const { token, sessionId } = await sessionHeaders(app.em(), userId, app.base);
    const { authenticate, ledger } = app.web.deps;
    const { caller } = (await authenticate.session(token))!;
    const grant = () =>
      ledger.transact({}, (tx) => createToken(tx.of(caller.organizationId), caller, { name: 'late', expiresInDays: 1 }));
    expect(await grant()).toMatchObject({ name: 'late' });
    await endSession(app.em(), sessionId);
    await expect(grant()).rejects.toMatchObject({ status: 401 });
  });
});
