import { beforeAll, describe, expect, test } from '@jest/globals';
import { addMember } from '../../../src/organizations/members.ts';
import { createOrganization } from '../../../src/organizations/organizations.ts';
import { databaseAway } from '../../../src/platform/database/errors.ts';
import { OwnRows } from '../../../src/platform/database/own.ts';
import { uuidv7 } from '../../../src/platform/ids.ts';
import { sha256 } from '../../../src/platform/secrets.ts';
import { asks, browserOf, cookieOf, fromAnywhere } from '../../support/accounts.ts';
import { useApp } from '../../support/app.ts';
import { type Person, person, sessionHeaders } from '../../support/factories/person.ts';
import { storedActs, storedMemberships, storedSessions, storedUsers } from '../../support/stored/accounts.ts';
import { ahead } from '../../support/stored/times.ts';

const app = useApp({ env: { TRUST_PROXY: '1' } });
const ask = asks(app);
let ada: Person;

beforeAll(async () => {
  ada = await person(app.em(), app.tenant.organizationId);
});

const logIn = (body: object, headers: Record<string, string> = {}) =>
  app.call('auth.login', { key: null, body, headers: { ...fromAnywhere(), ...headers } });
const right = (who: Person = ada) => ({ email: who.email, password: who.password });
const meOf = (cookie: string) => ask('auth.me.get', { cookie });
const refusal = { title: 'Unauthorized', status: 401, detail: 'Email or password is wrong' };
const sessionsOf = (who: Person) => storedSessions.all(app, { user_id: who.userId }, { orderBy: 'created_at' });

test('the right password opens a session', async () => {
  const reply = await logIn(right());
  expect([reply.status, reply.body]).toEqual([
    200,
    {
      data: {
        id: ada.userId,
        name: ada.name,
        email: ada.email,
        email_verified: true,
        timezone: 'UTC',
        week_start: 'monday',
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      },
    },
  ]);
  const me = await meOf(cookieOf(reply)!);
  expect([me.status, me.body.data.role, me.body.data.organization_id]).toEqual([200, 'owner', app.tenant.organizationId]);
});

test.each([
  ['as it is', (email: string) => email],
  ['in other letters', (email: string) => email.toUpperCase()],
  ['with spaces around', (email: string) => ` \t${email}  `],
])('an email %s', async (_what, spelled) => {
  const { status, body } = await logIn({ ...right(), email: spelled(ada.email) });
  expect([status, body.data?.email]).toEqual([200, ada.email]);
});

test.each([
  ['a wrong password', () => ({ email: ada.email, password: 'not the right one' })],
  ['the right one in other letters', () => ({ email: ada.email, password: ada.password.toUpperCase() })],
  ['the right one with a space after it', () => ({ email: ada.email, password: `${ada.password} ` })],
  ['the right one with a space before it', () => ({ email: ada.email, password: ` ${ada.password}` })],
  ['an unknown email', () => ({ email: 'nobody@example.com', password: ada.password })],
  ['an email that cannot be one', () => ({ email: "' or 1=1 --", password: ada.password })],
])('%s: 401 in the problem style', async (_what, body) => {
  const reply = await logIn(body());
  expect([reply.status, reply.body, reply.headers.get('content-type')]).toEqual([
    401,
    refusal,
    'application/problem+json; charset=utf-8',
  ]);
  expect(reply.headers.getSetCookie()).toEqual([]);
});

test('a user without a password cannot be logged in', async () => {
  const invited = await person(app.em(), app.tenant.organizationId);
  await storedUsers.change(app, invited.userId, { password_hash: null });
  for (const password of [invited.password, 'null']) {
    const { status, body } = await logIn({ email: invited.email, password });
    expect([status, body]).toEqual([401, refusal]);
  }
});

describe('a field that is not valid: 422 in the problem style, naming it', () => {
  test.each([
    ['email', 'left out', undefined],
    ['email', 'null', null],
    ['email', 'a number', 7],
    ['email', 'a list', ['ada@example.com']],
    ['email', 'an operator', { $ne: '' }],
    ['email', 'empty', ''],
    ['email', 'spaces', '   '],
    ['email', '255 characters', `${'a'.repeat(251)}@b.c`],
    ['email', 'with NUL', 'nul\u0000@example.com'],
    ['password', 'left out', undefined],
    ['password', 'null', null],
    ['password', 'a number', 12_345_678],
    ['password', 'empty', ''],
    ['password', '1,001 characters', 'x'.repeat(1_001)],
    ['password', 'with half a surrogate pair', 'half a pair \ud83d'],
    ['telemetry_id', 'null', null],
    ['telemetry_id', 'a number', 7],
    ['telemetry_id', 'empty', ''],
    ['telemetry_id', '201 characters', 'x'.repeat(201)],
    ['remember', 'unknown', true],
  ])('%s: %s', async (field, _what, value) => {
    const { status, body } = await logIn({ ...right(), [field]: value });
    expect(body).toEqual({ title: 'Unprocessable Entity', status: 422, detail: expect.stringContaining(field) });
    expect(status).toBe(422);
    if (field === 'password' && typeof value === 'string' && value) expect(body.detail).not.toContain(value);
  });

  test('what is no JSON, and no JSON type', async () => {
    const body = '{"email": "ada@example.com", "password": "a secret word"';
    const send = (type: string) =>
      app.raw('POST', '/v1/auth/login', { key: null, body, headers: { ...fromAnywhere(), 'content-type': type } });
    const [broken, form] = [await send('application/json'), await send('text/plain')];
    expect([broken.status, broken.body.title, form.status, form.body.title]).toEqual([
      400,
      'Bad Request',
      415,
      'Unsupported Media Type',
    ]);
    expect(broken.text).not.toContain('secret');
  });
});

describe('the cookie', () => {
  const plain = /^kanal_session=[A-Za-z0-9_-]{43}; Max-Age=1209600; Path=\/; HttpOnly; SameSite=Lax$/;
  const secure = /^__Host-kanal_session=[A-Za-z0-9_-]{43}; Max-Age=1209600; Path=\/; HttpOnly; Secure; SameSite=Lax$/;

  test.each([
    ['on localhost', undefined, { 'x-forwarded-host': 'localhost:3000' }, plain],
    ['on a name below it', undefined, { 'x-forwarded-host': 'app.localhost' }, plain],
    ['on a loopback address', undefined, {}, plain],
    ['on ::1', undefined, { 'x-forwarded-host': '[::1]:3000' }, plain],
    ['on localhost by TLS, as a proxy asks that keeps the name to itself', undefined, { 'x-forwarded-proto': 'https' }, secure],
    ['on another host', undefined, { 'x-forwarded-host': 'kanal.example.com' }, secure],
    ['on a name that only begins like it', undefined, { 'x-forwarded-host': 'localhost.example.com' }, secure],
    ['on an address that only begins like it', undefined, { 'x-forwarded-host': '127.0.0.1.example.com' }, secure],
    ['by PUBLIC_URL with TLS', 'https://kanal.example.com', {}, secure],
    ['by PUBLIC_URL, whatever the request says', 'https://kanal.example.com', { 'x-forwarded-host': 'localhost' }, secure],
    ['by PUBLIC_URL with TLS on localhost', 'https://localhost:3443', {}, secure],
    ['by PUBLIC_URL on localhost, and so is the host', 'http://localhost:3000', {}, plain],
    [
      'by PUBLIC_URL on localhost, left from a trial',
      'http://localhost:3000',
      { 'x-forwarded-host': 'kanal.example.com' },
      secure,
    ],
  ])('%s', async (_what, publicUrl, headers, expected) => {
    const { config } = app.web.deps;
    Object.assign(config, { publicUrl });
    try {
      const reply = await logIn(right(), headers as Record<string, string>);
      expect(reply.headers.getSetCookie()).toEqual([expect.stringMatching(expected)]);
    } finally {
      config.publicUrl = undefined;
    }
  });

  test('is taken by its own name alone: where it is secure, one that anybody may have set is none', async () => {
    const { token } = await sessionHeaders(app.em(), ada.userId, app.base);
    const me = async (name: string, more: Record<string, string>) =>
      (await app.call('auth.me.get', { key: null, headers: { cookie: `${name}=${token}`, ...more } })).status;
    const elsewhere = { 'x-forwarded-host': 'kanal.example.com' };
    expect(await me('__Host-kanal_session', elsewhere)).toBe(200);
    expect(await me('kanal_session', elsewhere)).toBe(401);
    expect(await me('kanal_session', { 'x-forwarded-proto': 'https' })).toBe(401);
    expect(await me('kanal_session', {})).toBe(200);
    expect(await me('__Host-kanal_session', {})).toBe(401);
  });

  test('is ended, and moved on, by the name it has', async () => {
    const { token, sessionId } = await sessionHeaders(app.em(), ada.userId, app.base);
    const headers = {
      cookie: `kanal_session=${'A'.repeat(43)}; __Host-kanal_session=${token}`,
      'x-forwarded-host': 'kanal.example.com',
      origin: 'https://kanal.example.com',
    };
    await storedSessions.change(app, sessionId, { expires_at: ahead(1, 'day') });
    const used = await app.call('auth.me.get', { key: null, headers });
    expect(used.headers.getSetCookie()).toEqual([expect.stringMatching(/^__Host-kanal_session=.+; Secure; SameSite=Lax$/)]);
    const out = await app.call('auth.logout', { key: null, headers, body: {} });
    expect(out.headers.getSetCookie()).toEqual(['__Host-kanal_session=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Lax']);
  });

  test('holds what the database has only as a hash', async () => {
    const token = cookieOf(await logIn(right(), { 'user-agent': 'Browser/1.0', 'x-forwarded-for': '203.0.113.9' }))!.split(
      '=',
    )[1]!;
    const row = await storedSessions.one(app, { hash: sha256(token) });
    expect(row).toMatchObject({ user_id: ada.userId, address: '203.0.113.9', user_agent: 'Browser/1.0', telemetry_id: null });
    expect(JSON.stringify(row)).not.toContain(token);
  });
});

test('the fingerprint of the device is kept', async () => {
  const reply = await logIn({ ...right(), telemetry_id: ' device-7 ' });
  const token = cookieOf(reply)!.split('=')[1]!;
  expect(await storedSessions.one(app, { hash: sha256(token) }, ['telemetry_id'])).toEqual({
    telemetry_id: 'device-7',
  });
});

describe('session fixation', () => {
  test('each login has a new id, and the one this browser had is dead', async () => {
    const other = await browserOf(app, ada);
    const first = await browserOf(app, ada);
    const second = cookieOf(await logIn(right(), { cookie: first.cookie }))!;
    expect(second).not.toBe(first.cookie);
    const statuses = [await meOf(first.cookie), await meOf(second), await meOf(other.cookie)].map(({ status }) => status);
    expect(statuses).toEqual([401, 200, 200]);
  });

  test('an id that somebody else chose is not taken over', async () => {
    const chosen = `kanal_session=${'A'.repeat(43)}`;
    const given = cookieOf(await logIn(right(), { cookie: chosen }))!;
    expect(given).not.toBe(chosen);
    expect([(await meOf(chosen)).status, (await meOf(given)).status]).toEqual([401, 200]);
  });

  test("the attacker's own session, given to the victim's browser, becomes nobody's", async () => {
    const mallory = await person(app.em());
    const planted = (await browserOf(app, mallory)).cookie;
    const given = cookieOf(await logIn(right(), { cookie: planted }))!;
    expect([(await meOf(planted)).status, (await meOf(given)).body.data.id]).toEqual([401, ada.userId]);
  });

  test('a failed login ends no session', async () => {
    const { cookie } = await browserOf(app, ada);
    await logIn({ ...right(), password: 'not the right one' }, { cookie });
    expect((await meOf(cookie)).status).toBe(200);
  });

  test.each([
    ['empty', 'kanal_session='],
    ['half an escape', 'kanal_session=%'],
    ['an escape of no character', 'kanal_session=%E0%A4%A'],
    ['a name only', 'kanal_session'],
    ['long', `kanal_session=${'x'.repeat(4_000)}`],
  ])('a cookie that cannot be one is no hindrance: %s', async (_what, cookie) => {
    expect((await logIn(right(), { cookie })).status).toBe(200);
  });
});

describe('the active organization', () => {
  let second: string;
  let eve: Person;
  beforeAll(async () => {
    second = await createOrganization(app.em(), 'Second');
    eve = await person(app.em(), app.tenant.organizationId, 'viewer');
    await addMember(new OwnRows(app.em(), second), eve.userId, 'admin');
  });
  const activeOf = async (cookie: string) => (await meOf(cookie)).body.data.organization_id;

  test('is the first one at first, and the last used one from then on', async () => {
    const browser = await browserOf(app, eve);
    expect(await activeOf(browser.cookie)).toBe(app.tenant.organizationId);
    await ask('auth.session.active-organization', browser.headers, { body: { organization_id: second } });
    expect(await activeOf((await browserOf(app, eve)).cookie)).toBe(second);
  });

  test('is remembered by a browser that logs in again, and after a logout', async () => {
    const again = await logIn(right(eve), { cookie: (await browserOf(app, eve)).cookie });
    expect(await activeOf(cookieOf(again)!)).toBe(second);
    await ask('auth.logout', { cookie: cookieOf(again)!, origin: app.base }, { body: { everywhere: true } });
    expect(await sessionsOf(eve)).toEqual([]);
    expect(await activeOf((await browserOf(app, eve)).cookie)).toBe(second);
  });

  test('is the first one again when the user is no member of the last one any more', async () => {
    await storedMemberships.remove(app, { organization_id: second, user_id: eve.userId });
    expect(await activeOf((await browserOf(app, eve)).cookie)).toBe(app.tenant.organizationId);
  });

  test('is none for a user of no organization: they are known, and may do nothing', async () => {
    const lone = await person(app.em());
    const { headers, cookie } = await browserOf(app, lone);
    const me = await meOf(cookie);
    expect([me.status, me.body.data]).toEqual([
      200,
      expect.objectContaining({ id: lone.userId, organization_id: null, role: null, scopes: [], organizations: [] }),
    ]);
    for (const [operationId, more] of [
      ['messages.list', {}],
      ['organization.get', {}],
      ['api-keys.create', { body: { name: 'Till', scopes: ['messages:read'] } }],
      ['auth.tokens.create', { body: { name: 'Laptop' } }],
    ] as const) {
      const { status, body } = await ask(operationId, headers, more);
      expect([operationId, status, body.error.code]).toEqual([operationId, 403, 'forbidden']);
    }
    expect((await ask('auth.tokens.list', headers)).body.items).toEqual([]);
  });
});

describe('known and unknown email', () => {
  test('cost one hash each, and so does whoever has no password', async () => {
    const without = await person(app.em());
    await storedUsers.change(app, without.userId, { password_hash: null });
    const { passwords } = app.web.deps;
    for (const body of [
      right(),
      { ...right(), password: 'not the right one' },
      { email: 'nobody@example.com', password: 'not the right one' },
      { email: without.email, password: without.password },
    ]) {
      const before = passwords.count();
      await logIn(body);
      expect([body.email, passwords.count() - before]).toEqual([body.email, 1]);
    }
  });
});

describe('the audit log', () => {
  const acts = (organizationId: string, who: Person) =>
    storedActs.all(
      app,
      { organization_id: organizationId, actor: `user:${who.userId}` },
      { columns: ['action', 'actor', 'subject', 'address', 'request_id'], orderBy: 'id' },
    );

  test('has a failed login in each of the organizations of its user, a login in the active one', async () => {
    const second = await createOrganization(app.em(), 'Second');
    const bob = await person(app.em(), app.tenant.organizationId);
    await addMember(new OwnRows(app.em(), second), bob.userId, 'viewer');
    const from = { 'x-forwarded-for': '203.0.113.7', 'x-request-id': `login-${uuidv7()}` };
    await logIn({ ...right(bob), password: 'not the right one' }, from);
    await logIn(right(bob), from);
    const [session] = await sessionsOf(bob);
    const common = { actor: `user:${bob.userId}`, address: '203.0.113.7', request_id: from['x-request-id'] };
    const failed = { ...common, action: 'auth.login-failed', subject: `user:${bob.userId}` };
    expect(await acts(second, bob)).toEqual([failed]);
    expect(await acts(app.tenant.organizationId, bob)).toEqual([
      failed,
      { ...common, action: 'auth.login', subject: `session:${session.id}` },
    ]);
  });

  test('has nothing of an email that nobody has', async () => {
    const before = await app.counts();
    await logIn({ email: 'nobody@example.com', password: 'not the right one' });
    expect({ ...(await app.counts()), login_limits: 0 }).toEqual({ ...before, login_limits: 0 });
  });
});

test('with the database away: 503, and no word of whether the password was right', async () => {
  const { pool } = app.web.deps.database;
  const { query } = pool;
  pool.query = (() => Promise.reject(Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }))) as typeof query;
  try {
    const { status, body, headers } = await logIn(right());
    expect([status, body.title, headers.get('retry-after')]).toEqual([503, 'Service Unavailable', '1']);
    expect(body.detail).toBe(databaseAway(undefined).message);
  } finally {
    pool.query = query;
  }
});
