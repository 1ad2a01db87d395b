import { beforeEach, describe, expect, test } from '@jest/globals';
import { acceptInvitation } from '../../../src/accounts/accept-invitation.ts';
import { lockOrganization } from '../../../src/organizations/organizations.ts';
import { type Role, scopesOf } from '../../../src/organizations/roles.ts';
import { newSecretToken } from '../../../src/platform/credentials.ts';
import { OwnRows } from '../../../src/platform/database/own.ts';
import { query } from '../../../src/platform/database/query.ts';
import { sha256 } from '../../../src/platform/secrets.ts';
import { createUser } from '../../../src/users/users.ts';
import { actsOf } from '../../support/acts.ts';
import { type Body, type Reply, type Tenant, useApp } from '../../support/app.ts';
import { bearerToken, type Person, person, sessionHeaders, testPassword } from '../../support/factories/person.ts';
import { testSecrets } from '../../support/secrets.ts';
import {
  storedIdempotencyKeys,
  storedInvitations,
  storedMails,
  storedMemberships,
  storedOrganizations,
  storedUsers,
} from '../../support/stored/accounts.ts';
import { ago, ahead, now } from '../../support/stored/times.ts';
import { waitFor } from '../../support/wait-for.ts';

/** Each acceptance comes from an address of its own: how many one address may try is another test's affair. */
const app = useApp({ env: { TRUST_PROXY: '1' } });
type Headers = Record<string, string>;
const nobody = '01932d5f-3a0e-7cc4-8f4e-0242ac120001';
const password = 'a garden of seven lamps';

let tenant: Tenant;
let owner: Person;
const organizationName = 'Harbour & Sons';
beforeEach(async () => {
  tenant = await app.organization();
  await storedOrganizations.change(app, tenant.organizationId, { name: organizationName });
  owner = await person(app.em(), tenant.organizationId, 'owner');
});

let made = 0;
const newEmail = () => {
  made += 1;
  return `guest-${made}@example.com`;
};
const address = () => {
  made += 1;
  return `198.51.${made >> 8}.${made & 255}`;
};
const as = async ({ userId }: Person): Promise<Headers> => (await sessionHeaders(app.em(), userId, app.base)).headers;
const invite = (email: string, role: Role = 'agent', headers: Headers = { 'x-api-key': tenant.key }): Promise<Reply> =>
  app.call('invitations.create', { key: null, headers, body: { email, role } });
const accept = (token: string, more: object = { name: 'Guest', password }, from = address()): Promise<Reply> =>
  app.call('invitations.accept', { key: null, headers: { 'x-forwarded-for': from }, body: { token, ...more } });
const lookUp = (token: string, from = address()): Promise<Reply> =>
  app.call('invitations.look-up', { key: null, headers: { 'x-forwarded-for': from }, body: { token } });
const takeBack = (invitationID: string, headers: Headers = { 'x-api-key': tenant.key }): Promise<Reply> =>
  app.call('invitations.delete', { key: null, headers, params: { invitationID } });
const list = async (): Promise<Body[]> =>
  (await app.call('invitations.list', { key: tenant.key, query: { limit: 100 } })).body.items;
const statusOf = async (id: string): Promise<string> => (await list()).find((one) => one.id === id).status;
const account = async (email: string) => storedUsers.one(app, { email });
const members = async (organizationId = tenant.organizationId): Promise<Body[]> =>
  storedMemberships.all(app, { organization_id: organizationId }, { columns: ['user_id', 'role'] });

/** What an acceptance says of the organization. */
const joined = () => ({ organization_id: tenant.organizationId, organization_name: organizationName });

/** That a token opens nothing, and why. */
async function opensNothing(token: string, code: string, more?: object) {
  const reply = await accept(token, more);
  expect([reply.status, reply.body.error.details]).toEqual([
    422,
    [expect.objectContaining({ field: 'token', location: 'body', code })],
  ]);
  expect(await actsOf(app, reply)).toEqual([]);
}

describe('made', () => {
  test('with its token, where no mail is sent, an end in seven days and a row in the audit log', async () => {
    const email = newEmail();
    const reply = await invite(`  ${email.toUpperCase()} `);
    expect(reply.status).toBe(201);
    const { body } = reply;
    expect(body).toEqual({
      id: expect.any(String),
      email,
      role: 'agent',
      status: 'open',
      invited_by: `key:${tenant.keyId}`,
      expires_at: expect.any(String),
      created_at: expect.any(String),
      token: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
      link: `http://localhost:0/invitation#token=${body.token}`,
    });
    expect(Date.parse(body.expires_at) - Date.parse(body.created_at)).toBeCloseTo(7 * 24 * 3600 * 1000, -3);
    expect(reply.headers.get('location')).toBe(`/v1/invitations/${body.id}`);
    expect(await actsOf(app, reply)).toEqual([
      expect.objectContaining({
        organization_id: tenant.organizationId,
        actor: `key:${tenant.keyId}`,
        action: 'invitations.create',
        subject: `invitation:${body.id}`,
        details: { role: 'agent' },
      }),
    ]);
    const stored = await app.one('select to_jsonb(i)::text as text from invitations i where id = $1', [body.id]);
    expect(stored.text).not.toContain(body.token);
  });

  test('its mail waits with what it shall say; the token in it is sealed', async () => {
    const email = newEmail();
    const { body } = await invite(email, 'viewer', await as(owner));
    const mail = await storedMails.one(app, { recipient: email });
    expect(mail).toMatchObject({ organization_id: tenant.organizationId, kind: 'invitation', recipient: email });
    expect(mail.data).toEqual({
      organization: organizationName,
      invited_by: owner.name,
      role: 'viewer',
      expires_at: body.expires_at,
    });
    expect(mail.token).not.toContain(body.token);
    expect(testSecrets.open(mail.token)).toBe(body.token);
  });

  test.each([
    ['no email', { role: 'agent' }, 'email', 'any.required'],
    ['an email that is none', { email: 'ada', role: 'agent' }, 'email', 'string.email'],
    ['two emails', { email: 'a@example.com, b@example.com', role: 'agent' }, 'email', 'string.email'],
    ['an email of two lines', { email: 'a@example.com\nbcc: b@example.com', role: 'agent' }, 'email', 'string.email'],
    ['a list of emails', { email: ['a@example.com'], role: 'agent' }, 'email', 'string.base'],
    ['no role', { email: 'a@example.com' }, 'role', 'any.required'],
    ['a role nobody knows', { email: 'a@example.com', role: 'root' }, 'role', 'any.only'],
    ['an organization', { email: 'a@example.com', role: 'agent', organization_id: nobody }, 'organization_id', 'object.unknown'],
  ])('not with %s', async (_what, body, field, code) => {
    const reply = await app.call('invitations.create', { key: tenant.key, body });
    expect([reply.status, reply.body.error.details]).toEqual([422, [expect.objectContaining({ field, code })]]);
    expect([await list(), await actsOf(app, reply)]).toEqual([[], []]);
  });

  test.each([
    ['owner', 'owner', 201],
    ['admin', 'admin', 201],
    ['admin', 'owner', 403],
    ['agent', 'viewer', 403],
  ] as const)('by an %s for an %s: %i', async (by, role, status) => {
    const maker = await person(app.em(), tenant.organizationId, by);
    const { headers: token } = await bearerToken(app.em(), tenant.organizationId, maker.userId);
    for (const headers of [await as(maker), token]) {
      const reply = await invite(newEmail(), role, headers);
      expect(reply.status).toBe(status);
      expect(await actsOf(app, reply)).toHaveLength(status === 201 ? 1 : 0);
    }
    expect(await list()).toHaveLength(status === 201 ? 2 : 0);
  });

  test('not with a key that lacks a scope of the role', async () => {
    const { key } = await app.key(tenant.organizationId, ['members:read', 'members:write']);
    const reply = await invite(newEmail(), 'viewer', { 'x-api-key': key });
    expect([reply.status, reply.body.error.message]).toEqual([
      403,
      'You cannot grant the scope contacts:read: you do not have it',
    ]);
  });

  test('not for a member, however the email is spelled', async () => {
    const reply = await invite(owner.email.toUpperCase());
    expect([reply.status, reply.body.error.code]).toEqual([409, 'conflict']);
    expect(await list()).toEqual([]);
  });

  test('at most 200 are open', async () => {
    await storedInvitations.addMany(app, 200, (n) => ({
      organization_id: tenant.organizationId,
      email: `many-${n}@example.com`,
      role: 'viewer',
      hash: sha256(`${tenant.keyId}${n}`),
      invited_by: 'cli',
      expires_at: ahead(1, 'day'),
      created_at: ago(2, 'day'),
    }));
    const reply = await invite(newEmail());
    expect([reply.status, reply.body.error.code]).toEqual([422, 'limit_reached']);
    expect((await invite('many-7@example.com')).status).toBe(201);
    await storedInvitations.change(app, { email: 'many-9@example.com' }, { expires_at: now() });
    expect((await invite(newEmail())).status).toBe(201);
  });
});

test('nobody is invited more than twenty times a day, however often it is taken back', async () => {
  const email = newEmail();
  await storedInvitations.addMany(app, 20, (n) => ({
    organization_id: tenant.organizationId,
    email,
    role: 'viewer',
    hash: sha256(`${tenant.keyId}day${n}`),
    invited_by: 'cli',
    expires_at: now(),
    revoked_at: now(),
    created_at: ago(n, 'hour'),
  }));
  const reply = await invite(email);
  expect([reply.status, reply.body.error.code, await actsOf(app, reply)]).toEqual([429, 'rate_limited', []]);
  const wait = Number(reply.headers.get('retry-after'));
  expect([wait > 3.9 * 3600, wait <= 4 * 3600]).toEqual([true, true]);
  expect(await storedMails.count(app, { recipient: email })).toBe(0);
  expect((await invite(newEmail())).status).toBe(201);
  expect((await invite(email, 'viewer', { 'x-api-key': (await app.organization()).key })).status).toBe(201);
  await app.rows(`update invitations set created_at = created_at - interval '4 hours' where email = $1`, [email]);
  expect((await invite(email)).status).toBe(201);
});

describe('the list', () => {
  test('shows what became of each, newest first, and no token', async () => {
    const made = [];
    for (const email of [newEmail(), newEmail(), newEmail(), newEmail()]) made.push((await invite(email)).body);
    const [open, accepted, revoked, expired] = made;
    expect((await accept(accepted.token)).status).toBe(200);
    expect((await takeBack(revoked.id)).status).toBe(204);
    await storedInvitations.change(app, expired.id, { expires_at: now() });
    const items = await list();
    expect(items.map(({ id, status }) => [id, status])).toEqual([
      [expired.id, 'expired'],
      [revoked.id, 'revoked'],
      [accepted.id, 'accepted'],
      [open.id, 'open'],
    ]);
    for (const { token } of made) expect(JSON.stringify(items)).not.toContain(token);
    const pages = [];
    let cursor: string | undefined;
    do {
      const { body } = await app.call('invitations.list', {
        key: tenant.key,
        query: { limit: 2, include_total: true, ...(cursor && { cursor }) },
      });
      expect(body.meta.total).toBe(4);
      pages.push(...body.items);
      cursor = body.meta.next_cursor;
    } while (cursor);
    expect(pages).toEqual(items);
  });

  test("never another organization's, nor can one be taken back", async () => {
    const { body } = await invite(newEmail());
    const other = await app.organization();
    expect((await app.call('invitations.list', { key: other.key })).body.items).toEqual([]);
    for (const id of [body.id, nobody, 'not-an-id']) {
      const reply = await takeBack(id, { 'x-api-key': other.key });
      expect([reply.status, reply.body.error.message, await actsOf(app, reply)]).toEqual([404, 'Invitation not found', []]);
    }
    expect(await statusOf(body.id)).toBe('open');
  });
});

describe('taken back', () => {
  test('it opens nothing, and asked again it stays so', async () => {
    const { body } = await invite(newEmail());
    const reply = await takeBack(body.id);
    expect([reply.status, (await actsOf(app, reply)).map(({ subject }) => subject)]).toEqual([204, [`invitation:${body.id}`]]);
    const { revoked_at: at } = await storedInvitations.one(app, body.id);
    expect((await takeBack(body.id)).status).toBe(204);
    expect((await storedInvitations.one(app, body.id)).revoked_at).toEqual(at);
    await opensNothing(body.token, 'token.revoked');
    expect(await members()).toHaveLength(1);
  });

  test('not once it was accepted', async () => {
    const { body } = await invite(newEmail());
    await accept(body.token);
    expect((await takeBack(body.id)).status).toBe(409);
    expect(await statusOf(body.id)).toBe('accepted');
  });

  test('by a newer one of the same email, in this organization only', async () => {
    const email = newEmail();
    const other = await app.organization();
    const elsewhere = (await invite(email, 'viewer', { 'x-api-key': other.key })).body;
    const first = (await invite(email)).body;
    const second = (await invite(email.toUpperCase(), 'viewer')).body;
    await opensNothing(first.token, 'token.revoked');
    expect((await accept(second.token)).body).toMatchObject({ organization_id: tenant.organizationId, role: 'viewer' });
    expect((await accept(elsewhere.token, { password })).body).toMatchObject({ organization_id: other.organizationId });
  });

  test('twenty of the same email at once end as one open one', async () => {
    const email = newEmail();
    const replies = await Promise.all(Array.from({ length: 20 }, () => invite(email)));
    expect(replies.map(({ status }) => status)).toEqual(Array(20).fill(201));
    const open = (await list()).filter(({ status }) => status === 'open');
    expect(open).toHaveLength(1);
    const last = replies.find(({ body }) => body.id === open[0].id)!;
    for (const { body } of replies) if (body.id !== last.body.id) expect(await statusOf(body.id)).toBe('revoked');
    expect((await accept(last.body.token)).status).toBe(200);
  });
});

describe('who made it may know its link', () => {
  const setRole = (memberID: string, role: Role) =>
    app.call('members.update', { key: tenant.key, params: { memberID }, body: { role } });

  test('it goes with the member who made it, and no other does', async () => {
    const maker = await person(app.em(), tenant.organizationId, 'owner');
    const [revoked, accepted] = [
      await invite(newEmail(), 'owner', await as(maker)),
      await invite(newEmail(), 'viewer', await as(maker)),
    ];
    const stays = await invite(newEmail(), 'owner', await as(owner));
    await accept(accepted.body.token);
    expect((await app.call('members.delete', { key: tenant.key, params: { memberID: maker.userId } })).status).toBe(204);
    await opensNothing(revoked.body.token, 'token.revoked');
    expect([await statusOf(stays.body.id), await statusOf(accepted.body.id)]).toEqual(['open', 'accepted']);
  });

  test('with a lower role go those the inviter could not make any more', async () => {
    const maker = await person(app.em(), tenant.organizationId, 'owner');
    const headers = await as(maker);
    const [high, low] = [await invite(newEmail(), 'owner', headers), await invite(newEmail(), 'admin', headers)];
    const statuses = async () => [await statusOf(high.body.id), await statusOf(low.body.id)];
    await setRole(maker.userId, 'owner');
    expect(await statuses()).toEqual(['open', 'open']);
    await setRole(maker.userId, 'admin');
    expect(await statuses()).toEqual(['revoked', 'open']);
    await setRole(maker.userId, 'agent');
    expect(await statuses()).toEqual(['revoked', 'revoked']);
  });

  test('it goes with the key that made it when that is revoked, not when it is rotated and goes on', async () => {
    const { keyId, key } = await app.key(tenant.organizationId, [...scopesOf.owner]);
    const { body } = await invite(newEmail(), 'viewer', { 'x-api-key': key });
    await app.call('api-keys.rotate', { key: tenant.key, params: { keyID: keyId }, body: {} });
    expect(await statusOf(body.id)).toBe('open');
    await app.call('api-keys.delete', { key: tenant.key, params: { keyID: keyId } });
    await opensNothing(body.token, 'token.revoked');
  });

  test('it goes with a key that is rotated and ends at once, as is done with one that has leaked', async () => {
    const { keyId, key } = await app.key(tenant.organizationId, [...scopesOf.owner]);
    const { body } = await invite(newEmail(), 'owner', { 'x-api-key': key });
    const other = await invite(newEmail());
    await app.call('api-keys.rotate', { key: tenant.key, params: { keyID: keyId }, body: { overlap_hours: 0 } });
    await opensNothing(body.token, 'token.revoked');
    expect(await statusOf(other.body.id)).toBe('open');
  });

  test("an admin neither takes an owner's back nor replaces it", async () => {
    const email = newEmail();
    const { body } = await invite(email, 'owner');
    const admin = await as(await person(app.em(), tenant.organizationId, 'admin'));
    for (const reply of [await takeBack(body.id, admin), await invite(email, 'viewer', admin)]) {
      expect([reply.status, reply.body.error.message]).toEqual([403, 'The role owner is above yours (admin)']);
      expect(await actsOf(app, reply)).toEqual([]);
    }
    expect([(await list()).length, await statusOf(body.id)]).toEqual([1, 'open']);
  });

  test('it is not accepted in the midst of a change of who may what', async () => {
    const { body } = await invite(newEmail());
    const { database } = app.web.deps;
    const { accepting } = await database.transaction(async (em) => {
      await lockOrganization(new OwnRows(em, tenant.organizationId));
      const accepting = accept(body.token);
      await waitFor('the acceptance to stand in line', async () => {
        return (await app.rows('select 1 from pg_locks where not granted')).length > 0;
      });
      await query(em, 'update invitations set revoked_at = clock_timestamp() where id = $1', [body.id]);
      return { accepting };
    });
    expect((await accepting).body.error.details[0].code).toBe('token.revoked');
    expect(await members()).toHaveLength(1);
  });
});

describe('looked up by its token, before it is accepted', () => {
  const told = ({ status, body: { error } }: Reply) => ({ status, ...error, request_id: undefined });

  test('names the organization and nothing else, as often as it is asked, and stays open', async () => {
    const { body } = await invite(newEmail());
    for (let look = 0; look < 2; look += 1) {
      const reply = await lookUp(body.token);
      expect([reply.status, reply.body]).toEqual([200, { organization_name: organizationName }]);
      expect(await actsOf(app, reply)).toEqual([]);
    }
    expect(await statusOf(body.id)).toBe('open');
    expect((await accept(body.token)).status).toBe(200);
  });

  test('a token that opens nothing gets one answer, whatever became of its invitation', async () => {
    const made = async () => (await invite(newEmail())).body;
    const [used, revoked, expired] = [await made(), await made(), await made()];
    await accept(used.token);
    await takeBack(revoked.id);
    await storedInvitations.change(app, expired.id, { expires_at: now() });
    const unknown = await lookUp(newSecretToken());
    expect(told(unknown)).toMatchObject({
      status: 422,
      code: 'invalid_request',
      details: [{ field: 'token', location: 'body', code: 'token.not_open' }],
    });
    for (const token of [used.token, revoked.token, expired.token, 'x', used.id]) {
      const reply = await lookUp(token);
      expect(told(reply)).toEqual(told(unknown));
      expect(reply.text).not.toContain(organizationName);
    }
  });

  test('sixty times in a quarter of an hour from one address, which may accept all the same', async () => {
    const { body } = await invite(newEmail());
    const from = address();
    const looks = await Promise.all(Array.from({ length: 61 }, () => lookUp(newSecretToken(), from)));
    expect(looks.filter(({ status }) => status === 422)).toHaveLength(60);
    const late = await lookUp(body.token, from);
    expect([late.status, late.body.error.code, Number(late.headers.get('retry-after')) > 0]).toEqual([429, 'rate_limited', true]);
    expect(late.text).not.toContain(organizationName);
    expect((await lookUp(body.token)).status).toBe(200);
    expect((await accept(body.token, undefined, from)).status).toBe(200);
  });
});

describe('accepted', () => {
  test('by somebody new: an account, a membership, a row in the audit log, and then a login', async () => {
    const email = newEmail();
    const { body } = await invite(email, 'admin', await as(owner));
    const reply = await accept(body.token, { name: '  Grace  ', password }, '198.51.200.7');
    const { id, password_hash: hash, name, email_verified: isVerified } = await account(email);
    expect([reply.status, reply.body]).toEqual([200, { ...joined(), user_id: id, role: 'admin' }]);
    expect([name, isVerified]).toEqual(['Grace', false]);
    expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(await actsOf(app, reply)).toEqual([
      {
        organization_id: tenant.organizationId,
        actor: `user:${id}`,
        action: 'invitations.accept',
        subject: `invitation:${body.id}`,
        address: '198.51.200.7',
        details: { role: 'admin' },
      },
    ]);
    const login = await app.call('auth.login', { key: null, body: { email, password } });
    const cookie = login.headers.getSetCookie()[0]!.split(';')[0]!;
    const me = await app.call('auth.me.get', { key: null, headers: { cookie } });
    expect(me.body.data).toMatchObject({ id, role: 'admin', organization_id: tenant.organizationId });
    await opensNothing(body.token, 'token.used', { password });
    expect(await members()).toHaveLength(2);
  });

  test('by who has an account: with its own password, which stays, as its name does', async () => {
    const elsewhere = await app.organization();
    const guest = await person(app.em(), elsewhere.organizationId, 'owner');
    const before = await account(guest.email);
    const { body } = await invite(guest.email, 'viewer');
    const wrong = await accept(body.token, { name: 'Taken Over', password });
    expect([wrong.status, wrong.body.error.details]).toEqual([
      422,
      [expect.objectContaining({ field: 'password', code: 'password.wrong' })],
    ]);
    expect([await members(), await statusOf(body.id)]).toEqual([[expect.anything()], 'open']);
    const right = await accept(body.token, { name: 'Taken Over', password: testPassword });
    expect([right.status, right.body]).toEqual([200, { ...joined(), user_id: guest.userId, role: 'viewer' }]);
    expect(await account(guest.email)).toEqual(before);
  });

  test('not by an account without a password', async () => {
    const email = newEmail();
    await storedUsers.add(app, { email, name: 'No Password' });
    const { body } = await invite(email);
    for (const tried of ['', password]) expect((await accept(body.token, { password: tried })).status).toBe(422);
    expect(await members()).toHaveLength(1);
  });

  test.each([
    ['no name', { password }, 'name', 'any.required'],
    ['a blank name', { name: ' ', password }, 'name', 'string.empty'],
    ['a name too long', { name: 'x'.repeat(201), password }, 'name', 'string.max'],
    ['no password', { name: 'Guest' }, 'password', 'any.required'],
    ['a short password', { name: 'Guest', password: 'short' }, 'password', 'password.length'],
    ['a common password', { name: 'Guest', password: 'q1w2e3r4t5y6' }, 'password', 'password.common'],
    ['a role of their own', { name: 'Guest', password, role: 'owner' }, 'role', 'object.unknown'],
    ['an email of their own', { name: 'Guest', password, email: 'x@example.com' }, 'email', 'object.unknown'],
  ])('not with %s; the invitation stays open', async (_what, more, field, code) => {
    const email = newEmail();
    const { body } = await invite(email);
    const reply = await accept(body.token, more);
    expect([reply.status, reply.body.error.details]).toEqual([422, [expect.objectContaining({ field, code })]]);
    expect(await storedUsers.count(app, { email })).toBe(0);
    expect((await accept(body.token)).status).toBe(200);
  });

  test('not with the email for a password', async () => {
    const email = newEmail();
    const { body } = await invite(email);
    const reply = await accept(body.token, { name: 'Guest', password: email.toUpperCase() });
    expect(reply.body.error.details[0]).toMatchObject({ field: 'password', code: 'password.email' });
  });

  test('not when it has expired, nor with a token nobody made', async () => {
    const { body } = await invite(newEmail());
    await storedInvitations.change(app, body.id, { expires_at: now() });
    await opensNothing(body.token, 'token.expired');
    for (const token of ['x', body.id, body.token.slice(1), `${body.token}x`]) await opensNothing(token, 'token.unknown');
  });

  test('by two browsers at once: one is let in', async () => {
    for (let round = 0; round < 5; round += 1) {
      const email = newEmail();
      const { body } = await invite(email);
      const replies = await Promise.all([
        accept(body.token),
        accept(body.token, { name: 'Other', password: `other ${password}` }),
      ]);
      expect(replies.map(({ status }) => status).sort()).toEqual([200, expect.any(Number)]);
      const winner = replies.find(({ status }) => status === 200)!;
      expect([409, 422]).toContain(replies.find((reply) => reply !== winner)!.status);
      const { id, name } = await account(email);
      expect([winner.body.user_id, name]).toEqual([id, winner === replies[0] ? 'Guest' : 'Other']);
    }
    expect(await members()).toHaveLength(6);
  });

  test('when the account is made in the meantime, its password is the one to show', async () => {
    const email = newEmail();
    const { body } = await invite(email);
    const { database, ledger, passwords, loginLimits } = app.web.deps;
    // Somebody is quicker while this one's password is being hashed.
    const slow = {
      ...passwords,
      async hash(text: string) {
        const passwordHash = await passwords.hash('the password of the first');
        await createUser(database.em(), { email, name: 'First', passwordHash, emailVerified: false });
        return passwords.hash(text);
      },
    };
    const parts = { database, transact: ledger.transact, passwords: slow, limits: loginLimits };
    const from = { address: address(), requestId: 'second' };
    await expect(acceptInvitation(parts, { token: body.token, name: 'Second', password }, from)).rejects.toMatchObject({
      code: 'conflict',
    });
    expect([(await account(email)).name, await statusOf(body.id)]).toEqual(['First', 'open']);
    expect((await accept(body.token)).body.error.details[0]).toMatchObject({ field: 'password', code: 'password.wrong' });
    expect((await accept(body.token, { password: 'the password of the first' })).status).toBe(200);
  });

  test('by a member, made one some other way: 409, and the role stays', async () => {
    const guest = await person(app.em());
    const { body } = await invite(guest.email, 'owner');
    await storedMemberships.add(app, { organization_id: tenant.organizationId, user_id: guest.userId, role: 'viewer' });
    expect((await accept(body.token, { password: testPassword })).status).toBe(409);
    expect(await members()).toContainEqual({ user_id: guest.userId, role: 'viewer' });
  });

  test('as the password is sent: nothing is trimmed', async () => {
    const email = newEmail();
    const { body } = await invite(email);
    await accept(body.token, { name: 'Guest', password: `  ${password}  ` });
    const login = (text: string) => app.call('auth.login', { key: null, body: { email, password: text } });
    expect([(await login(password)).status, (await login(`  ${password}  `)).status]).toEqual([401, 200]);
  });
});

describe('with an Idempotency-Key', () => {
  const create = (headers: Headers, key: string, email: string) =>
    app.call('invitations.create', {
      key: null,
      headers: { ...headers, 'idempotency-key': key },
      body: { email, role: 'viewer' },
    });

  test('the same caller is shown the same token, another one nothing', async () => {
    const email = newEmail();
    const [mine, other] = [await as(owner), await as(await person(app.em(), tenant.organizationId, 'owner'))];
    const first = await create(mine, 'one', email);
    const again = await create(mine, 'one', email);
    expect([again.status, again.body, again.headers.get('idempotent-replayed')]).toEqual([201, first.body, 'true']);
    expect(await actsOf(app, again)).toEqual([]);
    for (const headers of [other, { 'x-api-key': tenant.key }]) {
      const reply = await create(headers, 'one', email);
      expect([reply.status, reply.body.error.code]).toEqual([422, 'idempotency_mismatch']);
      expect(reply.text).not.toContain(first.body.token);
    }
    expect(await list()).toHaveLength(1);
    const { reply } = await storedIdempotencyKeys.one(app, { organization_id: tenant.organizationId });
    expect(reply).not.toContain(first.body.token);
  });
});
