import { beforeEach, describe, expect, test } from '@jest/globals';
import { dictionary } from '@zxcvbn-ts/language-common';
import { sha256 } from '../../../src/platform/secrets.ts';
import { asks, fromAnywhere, mailedToken } from '../../support/accounts.ts';
import { useApp } from '../../support/app.ts';
import { bearerToken, type Person, person, sessionHeaders } from '../../support/factories/person.ts';
import { storedActs, storedMails, storedPasswordResets, storedUsers } from '../../support/stored/accounts.ts';
import { ago } from '../../support/stored/times.ts';

const app = useApp({ env: { TRUST_PROXY: '1' } });
const ask = asks(app);
const next = 'a better staple for it';
let ada: Person;

beforeEach(async () => {
  ada = await person(app.em(), app.tenant.organizationId);
});

const open = (who: Person = ada) => sessionHeaders(app.em(), who.userId, app.base);
const statusOf = async (headers: Record<string, string>) => (await ask('auth.me.get', headers)).status;
const statusesOf = (...all: Record<string, string>[]) => Promise.all(all.map(statusOf));
const logIn = async (password: string, who: Person = ada) =>
  (await ask('auth.login', fromAnywhere(), { body: { email: who.email, password } })).status;
/** A token made in a session, known to this process. */
async function tokenIn(headers: Record<string, string>) {
  const { body } = await ask('auth.tokens.create', headers, { body: { name: 'Laptop' } });
  const bearer = { authorization: `Bearer ${body.token}` };
  expect(await statusOf(bearer)).toBe(200);
  return bearer;
}
const actsOf = async (who: Person) => {
  const acts = await storedActs.all(
    app,
    { actor: `user:${who.userId}` },
    { columns: ['action', 'organization_id', 'subject', 'address'], orderBy: 'id' },
  );
  return acts.filter(({ action }) => action.startsWith('auth.password'));
};
const userRow = (who: Person = ada) => storedUsers.one(app, who.userId);
const faultOf = ({ status, body }: Awaited<ReturnType<typeof ask>>) => [
  status,
  body.error?.details?.[0]?.field,
  body.error?.details?.[0]?.code,
];

const weak: [string, () => string, string][] = [
  ['11 characters', () => 'x'.repeat(11), 'password.length'],
  ['11 characters of two units', () => '🔑'.repeat(11), 'password.length'],
  ['129 characters', () => 'x'.repeat(129), 'password.length'],
  ['more than 1,000 units', () => 'x'.repeat(1_001), 'string.max'],
  ['none', () => '', 'string.empty'],
  ['the email', () => ada.email.toUpperCase(), 'password.email'],
  [
    'a common one',
    () => (dictionary['passwords-common'] as string[]).find((password) => password.length >= 12)!,
    'password.common',
  ],
];

describe('a change', () => {
  const change = (headers: Record<string, string>, new_password: unknown = next, current_password: unknown = ada.password) =>
    ask('auth.me.password', { ...fromAnywhere(), ...headers }, { body: { current_password, new_password } });

  test('ends the other sessions and their tokens at once; this one and its own go on', async () => {
    const [here, elsewhere] = [await open(), await open()];
    const [mine, other] = [await tokenIn(here.headers), await tokenIn(elsewhere.headers)];
    const { status, body } = await change({ ...here.headers, 'x-forwarded-for': '203.0.113.5' });
    expect([status, body]).toEqual([200, { message: 'The password is changed' }]);
    expect(await statusesOf(here.headers, mine, elsewhere.headers, other)).toEqual([200, 200, 401, 401]);
    expect([await logIn(ada.password), await logIn(next)]).toEqual([401, 200]);
    expect(await actsOf(ada)).toEqual([
      {
        action: 'auth.password.change',
        organization_id: app.tenant.organizationId,
        subject: `user:${ada.userId}`,
        address: '203.0.113.5',
      },
    ]);
  });

  test('by a bearer token spares the session it was made in', async () => {
    const [here, elsewhere] = [await open(), await open()];
    const mine = await tokenIn(here.headers);
    expect((await change(mine)).status).toBe(200);
    expect(await statusesOf(mine, here.headers, elsewhere.headers)).toEqual([200, 200, 401]);
  });

  test('by a token of no known session ends everything', async () => {
    const here = await open();
    const { headers } = await bearerToken(app.em(), app.tenant.organizationId, ada.userId);
    expect((await change(headers)).status).toBe(200);
    expect(await statusesOf(headers, here.headers)).toEqual([401, 401]);
  });

  test('of two at once from the same password, one is made', async () => {
    const [here, there] = [await open(), await open()];
    const wanted = ['the first of the two', 'the second of the two'];
    const replies = await Promise.all([change(here.headers, wanted[0]), change(there.headers, wanted[1])]);
    const won = replies.findIndex(({ status }) => status === 200);
    expect(faultOf(replies[1 - won]!)).toEqual([422, 'current_password', 'password.wrong']);
    expect([await logIn(wanted[won]!), await logIn(wanted[1 - won]!)]).toEqual([200, 401]);
    expect(await statusesOf(...[here.headers, there.headers])).toEqual(won === 0 ? [200, 401] : [401, 200]);
    expect(await actsOf(ada)).toHaveLength(1);
  });

  test.each([
    ['128 characters', 'x'.repeat(128)],
    ['128 characters of two units', '🔑'.repeat(128)],
    ['spaces around it, which belong to it', '  twelve chars  '],
  ])('to %s', async (_what, wanted) => {
    expect((await change((await open()).headers, wanted)).status).toBe(200);
    expect(await logIn(wanted)).toBe(200);
    if (wanted !== wanted.trim()) expect(await logIn(wanted.trim())).toBe(401);
  });

  test.each(weak)('to %s: 422 without a hash, and the old one holds', async (_what, wanted, code) => {
    const here = await open();
    const [before, hashes] = [await userRow(), app.web.deps.passwords.count()];
    const reply = await change(here.headers, wanted());
    expect(faultOf(reply)).toEqual([422, 'new_password', code]);
    expect([await userRow(), app.web.deps.passwords.count()]).toEqual([before, hashes]);
    if (wanted()) expect(reply.text).not.toContain(wanted());
  });

  test.each([
    ['current_password', null],
    ['current_password', 12_345_678],
    ['current_password', ''],
    ['current_password', 'x'.repeat(1_001)],
    ['new_password', null],
    ['new_password', 123_456_789_012],
    ['new_password', ['a list of words']],
    ['password', next],
  ])('with a wrong %s: 422 naming it (%#)', async (field, value) => {
    const body = { current_password: ada.password, new_password: next, [field]: value };
    expect(faultOf(await ask('auth.me.password', (await open()).headers, { body })).slice(0, 2)).toEqual([422, field]);
  });

  test.each([
    ['a wrong current password', () => 'not the right one'],
    ['one with a space more', () => `${ada.password} `],
  ])('by %s: 422 on that field, and nothing is ended', async (_what, current) => {
    const [here, elsewhere] = [await open(), await open()];
    const before = await userRow();
    expect(faultOf(await change(here.headers, next, current()))).toEqual([422, 'current_password', 'password.wrong']);
    expect(await userRow()).toEqual(before);
    expect(await statusesOf(here.headers, elsewhere.headers)).toEqual([200, 200]);
    expect(await actsOf(ada)).toEqual([]);
  });

  test('by a user who has none yet: 422, the link comes by mail', async () => {
    await storedUsers.change(app, ada.userId, { password_hash: null });
    expect(faultOf(await change((await open()).headers))).toEqual([422, 'current_password', 'password.wrong']);
  });

  test('is for people, and not without an Origin', async () => {
    const { cookie } = (await open()).headers;
    const [key, strange, nobody] = [
      await change({ 'x-api-key': app.tenant.key }),
      await change({ cookie, origin: 'https://evil.example' }),
      await change({}),
    ];
    expect([key, strange, nobody].map(({ status, body }) => [status, body.error.code])).toEqual([
      [403, 'session_required'],
      [403, 'origin_not_allowed'],
      [401, 'unauthorized'],
    ]);
  });

  test('makes the links of earlier mails void', async () => {
    await ask('auth.password-reset.request', fromAnywhere(), { body: { email: ada.email } });
    const token = await mailedToken(app, ada.email);
    await change((await open()).headers);
    const reply = await ask('auth.password-reset.confirm', fromAnywhere(), {
      body: { token, new_password: 'yet another password' },
    });
    expect(faultOf(reply)).toEqual([422, 'token', 'token.unknown']);
  });
});

describe('a reset', () => {
  const request = (email: unknown, headers: Record<string, string> = {}) =>
    ask('auth.password-reset.request', { ...fromAnywhere(), ...headers }, { body: { email } });
  const confirm = (token: unknown, new_password: unknown = next, headers: Record<string, string> = {}) =>
    ask('auth.password-reset.confirm', { ...fromAnywhere(), ...headers }, { body: { token, new_password } });
  async function link(who: Person = ada) {
    expect((await request(who.email)).status).toBe(200);
    return mailedToken(app, who.email);
  }

  test('is answered alike for a known and an unknown email, and for a user of no organization', async () => {
    const lone = await person(app.em());
    const replies = [await request(ada.email), await request('nobody@example.com'), await request(lone.email)];
    const seen = replies.map(({ status, text, headers }) => [
      status,
      text,
      [...headers].filter(([name]) => !['date', 'x-request-id', 'ratelimit'].includes(name)),
    ]);
    expect(seen[0]![0]).toBe(200);
    expect(seen[1]).toEqual(seen[0]);
    expect(seen[2]).toEqual(seen[0]);
    const mails = await storedMails.all(
      app,
      { recipient: [ada.email, 'nobody@example.com', lone.email] },
      { columns: ['recipient'] },
    );
    expect(mails).toEqual([{ recipient: ada.email }]);
  });

  test.each([
    ['email', undefined],
    ['email', null],
    ['email', 7],
    ['email', ''],
    ['email', 'no email'],
    ['email', `${'a'.repeat(250)}@example.com`],
    ['user', 'ada'],
  ])('asked for with a wrong %s: 422 naming it (%#)', async (field, value) => {
    const reply = await ask('auth.password-reset.request', fromAnywhere(), { body: { email: ada.email, [field]: value } });
    expect(faultOf(reply).slice(0, 2)).toEqual([422, field]);
  });

  test("the link's token stands nowhere in the clear", async () => {
    await request(` ${ada.email.toUpperCase()} `);
    const token = await mailedToken(app, ada.email);
    expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/);
    const reset = await storedPasswordResets.one(app, { user_id: ada.userId });
    const mail = await storedMails.one(app, { recipient: ada.email });
    expect([reset.hash, reset.used_at, mail.kind]).toEqual([sha256(token), null, 'password_reset']);
    expect(JSON.stringify([reset, mail])).not.toContain(token);
    expect(mail.data).toEqual({ name: ada.name, expires_at: expect.any(String) });
    expect(Math.abs(new Date(mail.data.expires_at).getTime() - new Date(reset.expires_at).getTime())).toBeLessThan(5_000);
  });

  test('sets the password, proves the email, and ends every session and token at once', async () => {
    await storedUsers.change(app, ada.userId, { email_verified: false });
    const here = await open();
    const bearer = await tokenIn(here.headers);
    const loose = await bearerToken(app.em(), app.tenant.organizationId, ada.userId);
    expect(await statusOf(loose.headers)).toBe(200);
    const reply = await confirm(await link(), next, { 'x-forwarded-for': '203.0.113.6' });
    expect([reply.status, reply.body, reply.headers.getSetCookie()]).toEqual([200, { message: 'The password is changed' }, []]);
    expect(await statusesOf(here.headers, bearer, loose.headers)).toEqual([401, 401, 401]);
    expect([await logIn(ada.password), await logIn(next)]).toEqual([401, 200]);
    expect((await userRow()).email_verified).toBe(true);
    const about = { organization_id: app.tenant.organizationId, subject: `user:${ada.userId}` };
    expect(await actsOf(ada)).toEqual([
      { ...about, action: 'auth.password-reset.request', address: expect.any(String) },
      { ...about, action: 'auth.password-reset.confirm', address: '203.0.113.6' },
    ]);
  });

  test('gives a password to whoever had none', async () => {
    await storedUsers.change(app, ada.userId, { password_hash: null });
    expect((await confirm(await link())).status).toBe(200);
    expect(await logIn(next)).toBe(200);
  });

  test.each([
    ['used', 'token.used', async (token: string) => void (await confirm(token, 'the one before it'))],
    ['expired', 'token.expired', () => storedPasswordResets.change(app, { user_id: ada.userId }, { expires_at: ago(1, 'ms') })],
    ['replaced by a newer one', 'token.unknown', () => link()],
    ['of a user who was deleted', 'token.unknown', () => storedUsers.remove(app, ada.userId)],
  ])('a link that is %s: 422 on the token', async (_what, code, spoil: (token: string) => Promise<unknown>) => {
    const token = await link();
    await spoil(token);
    const hashes = app.web.deps.passwords.count();
    expect(faultOf(await confirm(token))).toEqual([422, 'token', code]);
    expect(app.web.deps.passwords.count()).toBe(hashes);
  });

  test.each([
    ['token', 'A'.repeat(43), 'token.unknown'],
    ['token', 'x', 'token.unknown'],
    ['token', "' or 1=1 --", 'token.unknown'],
    ['token', '', 'string.empty'],
    ['token', 'x'.repeat(201), 'string.max'],
    ['token', null, 'string.base'],
    ['token', undefined, 'any.required'],
    ['new_password', null, 'string.base'],
    ['new_password', undefined, 'any.required'],
    ['email', 'ada@example.com', 'object.unknown'],
  ])('a wrong %s: 422 naming it (%#)', async (field, value, code) => {
    const body = { token: 'A'.repeat(43), new_password: next, [field]: value };
    expect(faultOf(await ask('auth.password-reset.confirm', fromAnywhere(), { body }))).toEqual([422, field, code]);
  });

  test('a weak password does not use the link up', async () => {
    const token = await link();
    for (const [what, wanted, code] of weak)
      expect([what, ...faultOf(await confirm(token, wanted()))]).toEqual([what, 422, 'new_password', code]);
    expect(await logIn(ada.password)).toBe(200);
    expect((await confirm(token)).status).toBe(200);
  });

  test('of two confirmations at once one is made', async () => {
    const token = await link();
    const wanted = ['the first of the two', 'the second of the two'];
    const replies = await Promise.all(wanted.map((password) => confirm(token, password)));
    const won = replies.findIndex(({ status }) => status === 200);
    expect(faultOf(replies[1 - won]!)).toEqual([422, 'token', 'token.used']);
    expect([await logIn(wanted[won]!), await logIn(wanted[1 - won]!)]).toEqual([200, 401]);
  });

  test("one user's link is nobody else's", async () => {
    const bob = await person(app.em(), app.tenant.organizationId);
    const [adasLink, bobsLink] = [await link(), await link(bob)];
    expect(adasLink).not.toBe(bobsLink);
    expect((await confirm(bobsLink)).status).toBe(200);
    expect([await logIn(next, bob), await logIn(ada.password)]).toEqual([200, 200]);
    expect((await confirm(adasLink)).status).toBe(200);
  });
});
