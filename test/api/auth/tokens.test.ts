import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { createAuthenticate } from '../../../src/accounts/authenticate.ts';
import { addMember } from '../../../src/organizations/members.ts';
import { createOrganization } from '../../../src/organizations/organizations.ts';
import { scopesOf } from '../../../src/organizations/roles.ts';
import { looksLike } from '../../../src/platform/credentials.ts';
import { OwnRows } from '../../../src/platform/database/own.ts';
import { sha256 } from '../../../src/platform/secrets.ts';
import { asks } from '../../support/accounts.ts';
import { useApp } from '../../support/app.ts';
import { type Person, person, sessionHeaders } from '../../support/factories/person.ts';
import { listedActs } from '../../support/listed-acts.ts';
import { storedBearerTokens, storedIdempotencyKeys, storedSessions } from '../../support/stored/accounts.ts';
import { now } from '../../support/stored/times.ts';

const app = useApp();
const ask = asks(app);
let ada: Person;
let here: { sessionId: string; headers: { cookie: string; origin: string } };

const open = (who: Person) => sessionHeaders(app.em(), who.userId, app.base);
beforeEach(async () => {
  ada = await person(app.em(), app.tenant.organizationId, 'admin');
  here = await open(ada);
});

const create = (body: object = {}, headers: Record<string, string> = here.headers) =>
  ask('auth.tokens.create', headers, { body: { name: 'Laptop', ...body } });
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const statusOf = async (token: string) => (await ask('auth.me.get', bearer(token))).status;
const list = async (headers: Record<string, string> = here.headers, query = {}) =>
  (await ask('auth.tokens.list', headers, { query })).body;

describe('create', () => {
  test('answers with the token, once; the table has its hash', async () => {
    const { status, body, headers } = await create({ name: ' Laptop ' });
    expect([status, headers.get('location')]).toEqual([201, `/v1/auth/tokens/${body.id}`]);
    expect(looksLike('kt_', body.token)).toBe(true);
    expect(body).toMatchObject({ name: 'Laptop', organization_id: app.tenant.organizationId, last_used_at: null });
    expect(new Set(body.scopes)).toEqual(scopesOf.admin);
    const row = await storedBearerTokens.one(app, body.id);
    expect([row.hash, row.user_id, row.session_id]).toEqual([sha256(body.token), ada.userId, here.sessionId]);
    expect(JSON.stringify(row)).not.toContain(body.token);
    const { token: _, ...rest } = body;
    expect((await list()).items).toEqual([rest]);
    const [act] = await listedActs(app, { action: 'auth.tokens.create', actor: `user:${ada.userId}` });
    expect([act.subject, act.details.name]).toEqual([`token:${body.id}`, 'Laptop']);
    expect(JSON.stringify(act)).not.toContain(body.token);
  });

  test.each(['owner', 'admin', 'agent', 'viewer'] as const)('an %s gets what the role allows', async (role) => {
    const { headers } = await open(await person(app.em(), app.tenant.organizationId, role));
    const { body } = await create({}, headers);
    expect(new Set(body.scopes)).toEqual(scopesOf[role]);
    expect(new Set((await ask('auth.me.get', bearer(body.token))).body.data.scopes)).toEqual(scopesOf[role]);
  });

  test('with scopes of its own it may do that and no more, and more than the role is refused by name', async () => {
    const { headers } = await open(await person(app.em(), app.tenant.organizationId, 'agent'));
    const { body } = await create({ scopes: ['messages:read', 'messages:read'] }, headers);
    expect(body.scopes).toEqual(['messages:read']);
    expect((await ask('messages.list', bearer(body.token))).status).toBe(200);
    const lacking = await ask('organization.get', bearer(body.token));
    expect([lacking.status, lacking.body.error.code]).toEqual([403, 'forbidden']);
    const before = (await list(headers)).items.length;
    const refused = await create({ scopes: ['messages:read', 'api_keys:write', 'members:write'] }, headers);
    expect([refused.status, refused.body.error.message]).toEqual([
      403,
      'You cannot grant the scope api_keys:write: you do not have it',
    ]);
    expect((await list(headers)).items).toHaveLength(before);
  });

  test('ends after 30 days at most', async () => {
    const days = async (body: object) => {
      const reply = await create(body);
      return Math.round((new Date(reply.body.expires_at).getTime() - new Date(reply.body.created_at).getTime()) / 864e5);
    };
    expect([await days({}), await days({ expires_in_days: 1 }), await days({ expires_in_days: 30 })]).toEqual([30, 1, 30]);
  });

  test.each([
    ['name', undefined],
    ['name', null],
    ['name', '  '],
    ['name', 7],
    ['name', 'x'.repeat(201)],
    ['expires_in_days', 31],
    ['expires_in_days', 0],
    ['expires_in_days', -1],
    ['expires_in_days', 1.5],
    ['expires_in_days', '7'],
    ['expires_in_days', null],
    ['scopes', []],
    ['scopes', 'messages:read'],
    ['scopes[0]', ['everything']],
    ['scopes[1]', ['messages:read', 7]],
    ['organization_id', randomUUID()],
  ])('a wrong %s: 422 naming it (%#)', async (field, value) => {
    const { status, body } = await create({ [field.replace(/\[.*/, '')]: value });
    expect([status, body.error.details[0].field]).toEqual([422, field]);
  });

  test('takes a session: neither a key nor a token makes one', async () => {
    const { body } = await create();
    for (const headers of [bearer(body.token), { 'x-api-key': app.tenant.key }]) {
      const reply = await create({}, headers);
      expect([reply.status, reply.body.error.code]).toEqual([403, 'session_required']);
    }
    expect((await create({}, { cookie: here.headers.cookie })).body.error.code).toBe('origin_not_allowed');
  });

  test('fifty are enough, also for many at once; an expired one does not count', async () => {
    await app.rows(
      `insert into bearer_tokens (id, organization_id, user_id, name, hash, scopes, expires_at)
       select uuidv7(), $1, $2, 'test', sha256(gen_random_uuid()::text::bytea), '{}', clock_timestamp() + interval '1 day' * (case n when 1 then -1 else 1 end)
       from generate_series(1, 49) n`,
      [app.tenant.organizationId, ada.userId],
    );
    const replies = await Promise.all([1, 2, 3, 4].map(() => create()));
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 201, 422, 422]);
    expect(replies.find(({ status }) => status === 422)!.body.error.code).toBe('limit_reached');
  });
});

describe('a token', () => {
  test('stays in the organization in which it was made', async () => {
    const second = await createOrganization(app.em(), 'Second');
    await addMember(new OwnRows(app.em(), second), ada.userId, 'viewer');
    const first = (await create()).body.token;
    await ask('auth.session.active-organization', here.headers, { body: { organization_id: second } });
    const other = (await create()).body.token;
    const seenBy = async (token: string) => (await ask('auth.me.get', bearer(token))).body.data;
    expect(await seenBy(first)).toMatchObject({ organization_id: app.tenant.organizationId, role: 'admin' });
    expect(await seenBy(other)).toMatchObject({ organization_id: second, role: 'viewer' });
    expect((await ask('organization.get', bearer(other))).body.id).toBe(second);
    expect((await list()).items).toHaveLength(1);
  });

  test('is narrowed with the role: here and in another process at once', async () => {
    const { body } = await create({ scopes: ['messages:write', 'api_keys:write'] });
    expect((await ask('auth.me.get', bearer(body.token))).body.data.scopes).toEqual(['messages:write', 'api_keys:write']);
    const { headers } = await open(await person(app.em(), app.tenant.organizationId, 'owner'));
    await ask('members.update', headers, { params: { memberID: ada.userId }, body: { role: 'agent' } });
    const elsewhere = await createAuthenticate(app.web.deps.database).token(body.token);
    expect([...elsewhere!.scopes]).toEqual(['messages:write']);
    expect((await ask('auth.me.get', bearer(body.token))).body.data).toMatchObject({ role: 'agent', scopes: ['messages:write'] });
    const made = await ask('api-keys.create', bearer(body.token), { body: { name: 'Till', scopes: ['messages:write'] } });
    expect([made.status, made.body.error.message]).toEqual([403, 'The bearer token lacks the scope api_keys:write']);
  });

  test('outlives the browser that was closed, and not its own end', async () => {
    const { body } = await create();
    await storedSessions.remove(app, here.sessionId);
    expect(await statusOf(body.token)).toBe(200);
    await storedBearerTokens.change(app, body.id, { expires_at: now() });
    app.web.deps.authenticate.forget(body.id);
    expect(await statusOf(body.token)).toBe(401);
  });

  test.each([
    ['the scheme in small letters', (token: string) => `bearer ${token}`, 200],
    ['another scheme', (token: string) => `Basic ${token}`, 401],
    ['no scheme', (token: string) => token, 401],
    ['something after it', (token: string) => `Bearer ${token} x`, 401],
    ['a mistyped one', (token: string) => `Bearer ${token.slice(0, -1)}`, 401],
    ['an API key in its place', () => `Bearer ${app.tenant.key}`, 401],
  ])('sent with %s', async (_what, header, expected) => {
    const { body } = await create();
    const { status, headers } = await ask('auth.me.get', { authorization: header(body.token) });
    expect(status).toBe(expected);
    if (expected === 401) expect(headers.get('www-authenticate')).toContain('Bearer realm="kanal"');
  });
});

describe('delete', () => {
  test('ends it at once', async () => {
    const { body } = await create();
    expect(await statusOf(body.token)).toBe(200);
    const remove = () => ask('auth.tokens.delete', here.headers, { params: { tokenID: body.id } });
    const { status, text } = await remove();
    expect([status, text, await statusOf(body.token)]).toEqual([204, '', 401]);
    expect((await remove()).status).toBe(404);
    const acts = await listedActs(app, { action: 'auth.tokens.delete', actor: `user:${ada.userId}` }, { columns: ['subject'] });
    expect(acts).toEqual([{ subject: `token:${body.id}` }]);
  });

  test("404 for a colleague's, a stranger's, one's own of another organization, and no id", async () => {
    const second = await createOrganization(app.em(), 'Second');
    await addMember(new OwnRows(app.em(), second), ada.userId, 'viewer');
    const colleague = await open(await person(app.em(), app.tenant.organizationId));
    const stranger = await open(await person(app.em(), second));
    const elsewhere = await open(ada);
    await ask('auth.session.active-organization', elsewhere.headers, { body: { organization_id: second } });
    const others = [colleague, stranger, elsewhere];
    const made = await Promise.all(others.map(async ({ headers }) => (await create({}, headers)).body));
    for (const tokenID of [...made.map(({ id }) => id), randomUUID(), 'no-id']) {
      const { status, body } = await ask('auth.tokens.delete', here.headers, { params: { tokenID } });
      expect([status, body.error.message]).toEqual([404, 'Token not found']);
    }
    for (const { token } of made) expect(await statusOf(token)).toBe(200);
  });
});

test("a list has one's own of the active organization, newest first, a page at a time", async () => {
  await create({}, (await open(await person(app.em(), app.tenant.organizationId))).headers);
  for (const name of ['one', 'two', 'three']) await create({ name });
  const first = await list(here.headers, { limit: 2, include_total: true });
  expect([first.items.map(({ name }: { name: string }) => name), first.meta.total]).toEqual([['three', 'two'], 3]);
  const rest = await list(here.headers, { limit: 2, cursor: first.meta.next_cursor });
  expect([rest.items.map(({ name }: { name: string }) => name), rest.meta.has_more]).toEqual([['one'], false]);
  const colleague = await open(await person(app.em(), app.tenant.organizationId));
  const stolen = await ask('auth.tokens.list', colleague.headers, { query: { limit: 2, cursor: first.meta.next_cursor } });
  expect(stolen.status).toBe(400);
});

describe('an Idempotency-Key', () => {
  test('gives the same token to the same caller again', async () => {
    const key = randomUUID();
    const headers = { ...here.headers, 'idempotency-key': key };
    const [first, second] = [await create({}, headers), await create({}, headers)];
    expect([second.status, second.text, second.headers.get('idempotent-replayed')]).toEqual([201, first.text, 'true']);
    expect((await list()).items).toHaveLength(1);
    const stored = await storedIdempotencyKeys.one(app, { key });
    expect(JSON.stringify(stored)).not.toContain(first.body.token);
  });

  test('gives it to nobody else, nor for another body', async () => {
    const key = randomUUID();
    const first = await create({}, { ...here.headers, 'idempotency-key': key });
    const colleague = await open(await person(app.em(), app.tenant.organizationId, 'owner'));
    const others = [
      await create({}, { ...colleague.headers, 'idempotency-key': key }),
      await create({ name: 'Phone' }, { ...here.headers, 'idempotency-key': key }),
    ];
    for (const { status, body, text } of others) {
      expect([status, body.error.code]).toEqual([422, 'idempotency_mismatch']);
      expect(text).not.toContain(first.body.token);
    }
    expect((await list(colleague.headers)).items).toEqual([]);
  });

  test('used at once by many makes one', async () => {
    const key = randomUUID();
    const replies = await Promise.all([1, 2, 3, 4].map(() => create({}, { ...here.headers, 'idempotency-key': key })));
    const tokens = new Set(replies.filter(({ status }) => status === 201).map(({ body }) => body.token));
    expect([tokens.size, (await list()).items.length]).toEqual([1, 1]);
    for (const { status } of replies) expect([201, 409]).toContain(status);
  });
});
