import { beforeAll, describe, expect, test } from '@jest/globals';
import { actsOf } from '../../support/acts.ts';
import { useApp } from '../../support/app.ts';
import { bearerToken, type Person, person, sessionHeaders } from '../../support/factories/person.ts';

const app = useApp();
let owner: Person;
beforeAll(async () => {
  owner = await person(app.em(), app.tenant.organizationId);
});

const rename = (body: object, headers?: Record<string, string>) =>
  app.call('organization.update', { body, ...(headers && { key: null, headers }) });
const nameNow = async () => (await app.one('select name from organizations where id = $1', [app.tenant.organizationId])).name;

/** Who may call, how, and as whom the audit log shall know them. */
const callers = {
  key: async () => ({ headers: { 'x-api-key': app.tenant.key }, actor: `key:${app.tenant.keyId}` }),
  token: async () => ({
    headers: (await bearerToken(app.em(), app.tenant.organizationId, owner.userId)).headers,
    actor: `user:${owner.userId}`,
  }),
  session: async () => ({
    headers: (await sessionHeaders(app.em(), owner.userId, app.base)).headers,
    actor: `user:${owner.userId}`,
  }),
};

test.each(Object.entries(callers))('by %s: read, renamed, with a row in the audit log', async (by, caller) => {
  const { headers, actor } = await caller();
  const before = await app.call('organization.get', { key: null, headers });
  expect([before.status, before.body.id]).toEqual([200, app.tenant.organizationId]);
  const reply = await rename({ name: `  By ${by}\t` }, headers);
  expect([reply.status, reply.body]).toEqual([200, { ...before.body, name: `By ${by}`, updated_at: expect.any(String) }]);
  expect(Date.parse(reply.body.updated_at)).toBeGreaterThan(Date.parse(before.body.updated_at));
  expect((await app.call('organization.get', { key: null, headers })).body).toEqual(reply.body);
  expect(await actsOf(app, reply)).toEqual([
    {
      organization_id: app.tenant.organizationId,
      actor,
      action: 'organization.update',
      subject: `organization:${app.tenant.organizationId}`,
      address: expect.stringContaining('127.0.0.1'),
      details: null,
    },
  ]);
});

describe('a name that is refused', () => {
  test.each([
    ['none', {}, 'any.required'],
    ['empty', { name: '' }, 'string.empty'],
    ['blank', { name: ' \n ' }, 'string.empty'],
    ['too long', { name: 'x'.repeat(201) }, 'string.max'],
    ['no string', { name: 7 }, 'string.base'],
    ['null', { name: null }, 'string.base'],
  ])('%s', async (_what, body, code) => {
    const before = await nameNow();
    const reply = await rename(body);
    expect(reply.status).toBe(422);
    expect(reply.body.error.details).toEqual([expect.objectContaining({ field: 'name', location: 'body', code })]);
    expect([await nameNow(), await actsOf(app, reply)]).toEqual([before, []]);
  });

  test('with a property nobody knows', async () => {
    const reply = await rename({ name: 'Fine', owner: 'me' });
    expect(reply.status).toBe(422);
    expect(reply.body.error.details).toEqual([expect.objectContaining({ field: 'owner', code: 'object.unknown' })]);
  });

  test('with a NUL', async () => {
    expect((await rename({ name: 'a\u0000b' })).status).toBe(422);
  });
});

test('200 characters of any script pass', async () => {
  const name = '書'.repeat(200);
  expect((await rename({ name })).body.name).toBe(name);
});

test('an agent reads it and does not rename it', async () => {
  const agent = await person(app.em(), app.tenant.organizationId, 'agent');
  const { headers } = await sessionHeaders(app.em(), agent.userId, app.base);
  expect((await app.call('organization.get', { key: null, headers })).status).toBe(200);
  const before = await nameNow();
  const reply = await rename({ name: 'Mine' }, headers);
  expect([reply.status, reply.body.error.message]).toEqual([403, 'Your role (agent) lacks the scope members:write']);
  expect([await nameNow(), await actsOf(app, reply)]).toEqual([before, []]);
});

test('a key changes the organization it belongs to and no other', async () => {
  const other = await app.organization();
  const reply = await app.call('organization.update', { key: other.key, body: { name: 'The other one' } });
  expect(reply.body.id).toBe(other.organizationId);
  expect(await nameNow()).not.toBe('The other one');
});
