import { beforeEach, describe, expect, test } from '@jest/globals';
import { addMember } from '../../../src/organizations/members.ts';
import { createOrganization } from '../../../src/organizations/organizations.ts';
import { scopesOf } from '../../../src/organizations/roles.ts';
import { OwnRows } from '../../../src/platform/database/own.ts';
import { asks, cookieOf } from '../../support/accounts.ts';
import { useApp } from '../../support/app.ts';
import { bearerToken, type Person, person, sessionHeaders } from '../../support/factories/person.ts';
import { listedActs } from '../../support/listed-acts.ts';
import { storedBearerTokens, storedSessions, storedUsers } from '../../support/stored/accounts.ts';
import { ago, ahead } from '../../support/stored/times.ts';

const friend = 'https://app.example.com';
const app = useApp({ env: { ALLOWED_ORIGINS: friend } });
const ask = asks(app);
let ada: Person;

beforeEach(async () => {
  ada = await person(app.em(), app.tenant.organizationId, 'admin');
});

const open = (who: Person = ada) => sessionHeaders(app.em(), who.userId, app.base);
const statusOf = async (headers: Record<string, string>) => (await ask('auth.me.get', headers)).status;
const sessionOf = (id: string) => storedSessions.all(app, id);
/** A token made in a session, known to this process. */
async function tokenIn(headers: Record<string, string>) {
  const { body } = await ask('auth.tokens.create', headers, { body: { name: 'Laptop' } });
  const bearer = { authorization: `Bearer ${body.token}` };
  expect(await statusOf(bearer)).toBe(200);
  return bearer;
}

describe('an expiry that slides', () => {
  const secondsLeft = async (id: string) =>
    (await app.one(`select extract(epoch from expires_at - clock_timestamp())::float8 as left from sessions where id = $1`, [id]))
      .left;

  test('a use a day later begins the 14 days anew, and the cookie with them; the next one writes nothing', async () => {
    const { sessionId, token, headers } = await open();
    await storedSessions.change(app, sessionId, { expires_at: ahead(13, 'day') });
    const used = await ask('auth.me.get', headers);
    expect(used.headers.getSetCookie()).toEqual([`kanal_session=${token}; Max-Age=1209600; Path=/; HttpOnly; SameSite=Lax`]);
    expect(await secondsLeft(sessionId)).toBeGreaterThan(14 * 24 * 3600 - 60);
    const before = await app.one('select *, xmin::text from sessions where id = $1', [sessionId]);
    const again = await ask('auth.me.get', headers);
    expect([again.status, again.headers.getSetCookie()]).toEqual([200, []]);
    expect(await app.one('select *, xmin::text from sessions where id = $1', [sessionId])).toEqual(before);
  });

  test('one that has expired is nobody, and stays so', async () => {
    const { sessionId, headers } = await open();
    await storedSessions.change(app, sessionId, { expires_at: ago(1, 'ms') });
    for (let n = 0; n < 2; n += 1) {
      const reply = await ask('auth.me.get', headers);
      expect([reply.status, reply.body.error.code, reply.headers.get('www-authenticate')]).toEqual([
        401,
        'unauthorized',
        'ApiKey realm="kanal", Bearer realm="kanal"',
      ]);
      expect(reply.headers.getSetCookie()).toEqual([]);
    }
  });
});

describe('logout', () => {
  test('ends this session, whose cookie is cleared, and no other', async () => {
    const [one, other] = [await open(), await open()];
    const bearer = await tokenIn(one.headers);
    const reply = await ask('auth.logout', one.headers);
    expect([reply.status, reply.text]).toEqual([204, '']);
    expect(reply.headers.getSetCookie()).toEqual(['kanal_session=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax']);
    expect(await sessionOf(one.sessionId)).toEqual([]);
    expect([await statusOf(one.headers), await statusOf(other.headers), await statusOf(bearer)]).toEqual([401, 200, 200]);
    expect((await ask('auth.logout', one.headers)).status).toBe(401);
  });

  test('of a session in need of a new expiry clears its cookie all the same', async () => {
    const { sessionId, headers } = await open();
    await storedSessions.change(app, sessionId, { expires_at: ahead(13, 'day') });
    expect(cookieOf(await ask('auth.logout', headers))).toBe('kanal_session=');
  });

  test("everywhere ends all sessions of the user and their tokens at once, and nobody else's", async () => {
    const bob = await person(app.em(), app.tenant.organizationId);
    const [one, other, bobs] = [await open(), await open(), await open(bob)];
    const bearers = [await tokenIn(one.headers), await tokenIn(other.headers)];
    const bobsBearer = await tokenIn(bobs.headers);
    expect((await ask('auth.logout', one.headers, { body: { everywhere: true } })).status).toBe(204);
    for (const headers of [one.headers, other.headers, ...bearers]) expect(await statusOf(headers)).toBe(401);
    expect([await statusOf(bobs.headers), await statusOf(bobsBearer)]).toEqual([200, 200]);
    const [act] = await listedActs(app, { actor: `user:${ada.userId}`, action: 'auth.logout' });
    expect(act).toMatchObject({ subject: `session:${one.sessionId}`, details: { everywhere: true } });
  });

  test.each([['yes'], [1], [null]])('everywhere %j: 422', async (everywhere) => {
    const { status, body } = await ask('auth.logout', (await open()).headers, { body: { everywhere } });
    expect([status, body.error.details[0].field]).toEqual([422, 'everywhere']);
  });

  test('is for a session only', async () => {
    const bearer = await tokenIn((await open()).headers);
    for (const headers of [bearer, { 'x-api-key': app.tenant.key }]) {
      const { status, body } = await ask('auth.logout', headers);
      expect([status, body.error.code]).toEqual([403, 'session_required']);
    }
  });
});

describe('a cookie alone changes something', () => {
  test.each([
    ['from no known page', {}, 403],
    ['from another site', { origin: 'https://evil.example' }, 403],
    ['from a sandboxed page', { origin: 'null' }, 403],
    ['from a site whose name begins like an allowed one', { origin: `${friend}.evil.example` }, 403],
    ['from an allowed name without TLS', { origin: 'http://app.example.com' }, 403],
    ['from another site that a browser names so', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }, 403],
    ['from a sister site', { 'sec-fetch-site': 'same-site', origin: 'https://evil.example' }, 403],
    ['from the address bar', { 'sec-fetch-site': 'none' }, 403],
    [
      'from another site that says it is behind a proxy',
      { origin: 'https://evil.example', 'x-forwarded-host': 'evil.example' },
      403,
    ],
    ['from an allowed origin', { 'sec-fetch-site': 'cross-site', origin: friend }, 200],
    ['from a page of ours', { 'sec-fetch-site': 'same-origin' }, 200],
  ])('%s', async (_what, from, expected) => {
    const { headers } = await open();
    const { status, body } = await ask('auth.me.update', { cookie: headers.cookie, ...from } as Record<string, string>, {
      body: { name: 'Changed' },
    });
    expect(status).toBe(expected);
    if (expected === 403) expect(body.error.code).toBe('origin_not_allowed');
    const { name } = await storedUsers.one(app, ada.userId);
    expect(name).toBe(expected === 200 ? 'Changed' : ada.name);
  });

  test('and reads from anywhere; with a key or a token beside it, that one counts', async () => {
    const { headers } = await open();
    expect(await statusOf({ cookie: headers.cookie, origin: 'https://evil.example' })).toBe(200);
    const bearer = await tokenIn(headers);
    const { status } = await ask('auth.me.update', { cookie: headers.cookie, ...bearer }, { body: { name: 'Changed' } });
    expect(status).toBe(200);
    expect(await statusOf({ cookie: headers.cookie, authorization: 'Bearer kt_wrong' })).toBe(401);
  });
});

describe('the active organization', () => {
  const setTo = (headers: Record<string, string>, organization_id: unknown) =>
    ask('auth.session.active-organization', headers, { body: { organization_id } });
  const activeOf = async (headers: Record<string, string>) => (await ask('auth.me.get', headers)).body.data;

  test('is set for this session at once, with the role there', async () => {
    const second = await createOrganization(app.em(), 'Second');
    await addMember(new OwnRows(app.em(), second), ada.userId, 'viewer');
    const [here, elsewhere] = [await open(), await open()];
    const { status, body } = await setTo(here.headers, second);
    expect([status, body]).toEqual([200, { organization_id: second }]);
    expect(await activeOf(here.headers)).toMatchObject({ organization_id: second, role: 'viewer' });
    expect(await activeOf(elsewhere.headers)).toMatchObject({ organization_id: app.tenant.organizationId, role: 'admin' });
    expect((await ask('organization.get', here.headers)).body.id).toBe(second);
    const { status: refused, body: error } = await ask('organization.update', here.headers, { body: { name: 'Mine' } });
    expect([refused, error.error.code]).toEqual([403, 'forbidden']);
  });

  test('403 for a foreign and for no organization, in the same words, and nothing is changed', async () => {
    const { headers } = await open();
    const { organizationId } = await app.organization();
    await person(app.em(), organizationId);
    const foreign = await setTo(headers, organizationId);
    const unknown = await setTo(headers, '0192f0c0-0000-7000-8000-000000000000');
    const said = ({ status, body }: typeof foreign) => [status, { ...body.error, request_id: '' }];
    expect(foreign.status).toBe(403);
    expect(said(foreign)).toEqual(said(unknown));
    expect((await setTo(headers, '00000000-0000-0000-0000-000000000000')).status).toBe(403);
    expect((await activeOf(headers)).organization_id).toBe(app.tenant.organizationId);
  });

  test.each([[undefined], [null], [7], [''], ['no id'], [['0192f0c0-0000-7000-8000-000000000000']]])('%j: 422', async (id) => {
    const { status, body } = await setTo((await open()).headers, id);
    expect([status, body.error.details[0].field]).toEqual([422, 'organization_id']);
  });

  test('is gone with the membership, and the tokens with it', async () => {
    const owner = await open(await person(app.em(), app.tenant.organizationId, 'owner'));
    const { headers, sessionId } = await open();
    const bearer = await tokenIn(headers);
    const { status } = await ask('members.delete', owner.headers, { params: { memberID: ada.userId } });
    expect(status).toBe(204);
    expect(await statusOf(bearer)).toBe(401);
    expect(await activeOf(headers)).toMatchObject({ organization_id: null, role: null, scopes: [], organizations: [] });
    expect((await sessionOf(sessionId))[0].organization_id).toBeNull();
    expect((await ask('messages.list', headers)).status).toBe(403);
    expect(await storedBearerTokens.count(app, { user_id: ada.userId })).toBe(0);
    expect((await setTo(headers, app.tenant.organizationId)).status).toBe(403);
  });
});

describe('me', () => {
  test('shows the user, what they may do here, and every organization of theirs, the oldest membership first', async () => {
    const second = await createOrganization(app.em(), 'Second');
    await addMember(new OwnRows(app.em(), second), ada.userId, 'owner');
    const { body } = await ask('auth.me.get', (await open()).headers);
    expect(body.data).toMatchObject({ id: ada.userId, email: ada.email, role: 'admin' });
    expect(body.data.scopes).toContain('api_keys:write');
    expect(body.data.organizations).toEqual([
      { id: app.tenant.organizationId, name: 'Test', role: 'admin' },
      { id: second, name: 'Second', role: 'owner' },
    ]);
    expect(JSON.stringify(body)).not.toMatch(/argon2|password|hash/);
  });

  test('tells a bearer token of its own organization only, whatever it may do', async () => {
    await addMember(new OwnRows(app.em(), await createOrganization(app.em(), 'Second')), ada.userId, 'owner');
    for (const granted of [['contacts:read'], [...scopesOf.admin]]) {
      const { headers } = await bearerToken(app.em(), app.tenant.organizationId, ada.userId, granted);
      const { status, body } = await ask('auth.me.get', headers);
      expect(status).toBe(200);
      expect(body.data.organizations).toEqual([{ id: app.tenant.organizationId, name: 'Test', role: 'admin' }]);
    }
  });

  test('a bearer token of one scope changes nothing of its user: 403 that names a scope it lacks', async () => {
    const { headers } = await bearerToken(app.em(), app.tenant.organizationId, ada.userId, ['contacts:read']);
    const before = await storedUsers.one(app, ada.userId);
    const { status, body } = await ask('auth.me.update', headers, { body: { name: 'Mallory' } });
    expect([status, body.error.code]).toEqual([403, 'forbidden']);
    expect(body.error.message).toBe(
      'The bearer token lacks the scope contacts:write: only one with all scopes of your role changes your account',
    );
    expect(await storedUsers.one(app, ada.userId)).toEqual(before);
    const whole = await bearerToken(app.em(), app.tenant.organizationId, ada.userId, [...scopesOf.admin]);
    expect((await ask('auth.me.update', whole.headers, { body: { name: 'Ada' } })).status).toBe(200);
  });

  test('is for people: an API key is told so', async () => {
    const { status, body } = await ask('auth.me.get', { 'x-api-key': app.tenant.key });
    expect([status, body.error.code]).toEqual([403, 'session_required']);
  });

  test('changes what is given, the name trimmed, and says who did', async () => {
    const { headers } = await open();
    const first = await ask('auth.me.update', headers, { body: { name: '  Ada Lovelace ', week_start: 'sunday' } });
    expect([first.status, first.body.data]).toEqual([
      200,
      expect.objectContaining({ name: 'Ada Lovelace', week_start: 'sunday', timezone: 'UTC' }),
    ]);
    const second = await ask('auth.me.update', headers, { body: { timezone: 'Asia/Jakarta' } });
    expect(second.body.data).toMatchObject({ name: 'Ada Lovelace', week_start: 'sunday', timezone: 'Asia/Jakarta' });
    const acts = await listedActs(app, { action: 'auth.me.update', actor: `user:${ada.userId}` }, { columns: ['subject'] });
    expect(acts.map(({ subject }) => subject)).toEqual([`user:${ada.userId}`, `user:${ada.userId}`]);
  });

  test.each([
    ['name', '   '],
    ['name', 'x'.repeat(201)],
    ['name', null],
    ['name', 7],
    ['timezone', 'Mars/Phobos'],
    ['timezone', '+07:00'],
    ['timezone', ''],
    ['timezone', 'x'.repeat(65)],
    ['timezone', 7],
    ['week_start', 'Monday'],
    ['week_start', 'someday'],
    ['week_start', 1],
    ['email', 'other@example.com'],
    ['email_verified', true],
    ['id', '0192f0c0-0000-7000-8000-000000000000'],
  ])('a wrong %s: 422, and nothing is changed (%#)', async (field, value) => {
    const { headers } = await open();
    const before = await storedUsers.one(app, ada.userId);
    const { status, body } = await ask('auth.me.update', headers, { body: { week_start: 'friday', [field]: value } });
    const fields = body.error.details.map((detail: { field: string }) => detail.field);
    expect([status, ...new Set(fields)]).toEqual([422, field]);
    expect(await storedUsers.one(app, ada.userId)).toEqual(before);
  });

  test('nothing to change: 422', async () => {
    expect((await ask('auth.me.update', (await open()).headers, { body: {} })).status).toBe(422);
  });
});
