import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Role } from '../../../src/organizations/roles.ts';
import { type Scope, scopes } from '../../../src/organizations/scopes.ts';
import { actsOf } from '../../support/acts.ts';
import { type Body, type Tenant, useApp } from '../../support/app.ts';
import { bearerToken, person, sessionHeaders } from '../../support/factories/person.ts';
import { storedApiKeys, storedMemberships } from '../../support/stored/accounts.ts';
import { now } from '../../support/stored/times.ts';

/** API keys whose maker was removed or has another role now. */
const app = useApp({ env: { RATE_LIMIT_PER_MINUTE: '0' } });
type Headers = Record<string, string>;
type Made = { id: string; headers: Headers };

let tenant: Tenant;
let owner: Headers;
beforeEach(async () => {
  tenant = await app.organization();
  owner = (await member('owner')).headers;
});

const ask = (headers: Headers, operationId: string, more: Body = {}) => app.call(operationId, { key: null, headers, ...more });
async function member(role: Role) {
  const { userId, email } = await person(app.em(), tenant.organizationId, role);
  return { userId, email, headers: (await sessionHeaders(app.em(), userId, app.base)).headers as Headers };
}
async function keyBy(headers: Headers, granted: readonly Scope[] = scopes): Promise<Made> {
  const body = { name: 'made', scopes: granted };
  const { status, body: made } = await ask(headers, 'api-keys.create', { body });
  expect(status).toBe(201);
  return { id: made.id, headers: { 'x-api-key': made.key } };
}
const inviteOwner = (headers: Headers, email = 'back-door@example.com', role: Role = 'owner') =>
  ask(headers, 'invitations.create', { body: { email, role } });
const remove = (headers: Headers, memberID: string, query: Body = {}) =>
  ask(headers, 'members.delete', { params: { memberID }, query });
const works = async ({ headers }: Made) => (await ask(headers, 'messages.list')).status === 200;
const statusOfInvitation = async (id: string): Promise<boolean> =>
  (await app.one('select revoked_at is not null as is_revoked from invitations where id = $1', [id])).is_revoked;

describe('a key whose maker was removed', () => {
  test('works on, and grants nothing: neither does a key it made', async () => {
    const leaving = await member('owner');
    const subject = await member('viewer');
    const key = await keyBy(leaving.headers);
    const second = await keyBy(key.headers);
    const rotated = await ask(second.headers, 'api-keys.rotate', { params: { keyID: second.id }, body: {} });
    const third: Made = { id: rotated.body.id, headers: { 'x-api-key': rotated.body.key } };
    expect((await remove(owner, leaving.userId)).status).toBe(204);
    const open = await inviteOwner(owner, 'open@example.com', 'viewer');
    const left = await storedMemberships.all(
      app,
      { organization_id: tenant.organizationId },
      { columns: ['user_id', 'role'], orderBy: 'user_id' },
    );
    for (const made of [key, second, third]) {
      expect(await works(made)).toBe(true);
      for (const reply of [
        await inviteOwner(made.headers),
        await inviteOwner(made.headers, 'another@example.com', 'viewer'),
        await ask(made.headers, 'members.update', { params: { memberID: subject.userId }, body: { role: 'owner' } }),
        await remove(made.headers, subject.userId),
        await ask(made.headers, 'invitations.delete', { params: { invitationID: open.body.id } }),
        await ask(made.headers, 'api-keys.create', { body: { name: 'survivor', scopes: ['messages:read'] } }),
        await ask(made.headers, 'api-keys.rotate', { params: { keyID: made.id }, body: {} }),
        await ask(made.headers, 'api-keys.delete', { params: { keyID: tenant.keyId } }),
      ]) {
        expect(reply.status).toBe(403);
        expect(reply.body.error.message).toBe('The key grants nothing: the member who made it has left the organization');
        expect(await actsOf(app, reply)).toEqual([]);
      }
    }
    expect(
      await storedMemberships.all(
        app,
        { organization_id: tenant.organizationId },
        { columns: ['user_id', 'role'], orderBy: 'user_id' },
      ),
    ).toEqual(left);
    expect(await statusOfInvitation(open.body.id)).toBe(false);
  });

  test('grants again once the member is back, no more than the new role may', async () => {
    const leaving = await member('owner');
    const key = await keyBy(leaving.headers);
    await remove(owner, leaving.userId);
    expect((await inviteOwner(key.headers)).status).toBe(403);
    await storedMemberships.add(app, { organization_id: tenant.organizationId, user_id: leaving.userId, role: 'admin' });
    const asOwner = await inviteOwner(key.headers);
    expect([asOwner.status, asOwner.body.error.message]).toEqual([403, 'The role owner is above yours (admin)']);
    expect((await inviteOwner(key.headers, 'new@example.com', 'admin')).status).toBe(201);
  });

  test('may still end itself', async () => {
    const leaving = await member('owner');
    const key = await keyBy(leaving.headers, ['api_keys:write', 'messages:read']);
    await remove(owner, leaving.userId);
    expect((await ask(key.headers, 'api-keys.delete', { params: { keyID: key.id } })).status).toBe(204);
    expect(await works(key)).toBe(false);
  });

  test('opens no invitation it made before', async () => {
    const leaving = await member('owner');
    const second = await keyBy((await keyBy(leaving.headers)).headers);
    const invited = await inviteOwner(second.headers);
    const other = await inviteOwner(owner, 'colleague@example.com', 'viewer');
    expect([invited.status, other.status]).toEqual([201, 201]);
    await remove(owner, leaving.userId);
    expect(await statusOfInvitation(invited.body.id)).toBe(true);
    expect(await statusOfInvitation(other.body.id)).toBe(false);
    const accepted = await app.call('invitations.accept', {
      key: null,
      body: { token: invited.body.token, name: 'Back', password: 'a better staple for it' },
    });
    expect([accepted.status, accepted.body.error.details[0].code]).toEqual([422, 'token.revoked']);
  });
});

describe('a key whose maker has a lower role now', () => {
  test('grants what that role may, its invitations too', async () => {
    const demoted = await member('owner');
    const key = await keyBy(demoted.headers);
    const invited = await inviteOwner(key.headers);
    const lesser = await inviteOwner(key.headers, 'lesser@example.com', 'admin');
    await ask(owner, 'members.update', { params: { memberID: demoted.userId }, body: { role: 'admin' } });
    expect(await statusOfInvitation(invited.body.id)).toBe(true);
    expect(await statusOfInvitation(lesser.body.id)).toBe(false);
    expect((await inviteOwner(key.headers)).status).toBe(403);
    expect((await inviteOwner(key.headers, 'x@example.com', 'admin')).status).toBe(201);
    await ask(owner, 'members.update', { params: { memberID: demoted.userId }, body: { role: 'agent' } });
    const refused = await inviteOwner(key.headers, 'y@example.com', 'viewer');
    expect([refused.status, refused.body.error.message]).toEqual([
      403,
      "The role of the key's maker (agent) lacks the scope members:write",
    ]);
    expect(await works(key)).toBe(true);
  });
});

test('a key made by command line has the operator behind it: nobody’s removal takes from it', async () => {
  const leaving = await member('owner');
  await remove(owner, leaving.userId);
  expect((await inviteOwner({ 'x-api-key': tenant.key })).status).toBe(201);
  const made = await keyBy({ 'x-api-key': tenant.key });
  expect((await inviteOwner(made.headers, 'z@example.com')).status).toBe(201);
});

describe('the keys of one who is removed', () => {
  const listed = async (madeBy: string, more: Body = {}) =>
    (await ask(owner, 'api-keys.list', { query: { made_by: madeBy, ...more } })).body;

  test('are listed, those made by their keys too, before and after', async () => {
    const leaving = await member('owner');
    const first = await keyBy(leaving.headers);
    const second = await keyBy(first.headers);
    await keyBy(owner);
    const stranger = await app.organization();
    for (const step of ['before', 'after']) {
      const { items, meta } = await listed(leaving.userId, { include_total: true });
      expect(items.map(({ id }: Body) => id)).toEqual([second.id, first.id]);
      expect(meta.total).toBe(2);
      expect((await app.call('api-keys.list', { key: stranger.key, query: { made_by: leaving.userId } })).body.items).toEqual([]);
      if (step === 'before') await remove(owner, leaving.userId);
    }
  });

  test('in pages, whose cursors are of this filter alone', async () => {
    const leaving = await member('owner');
    const made = [await keyBy(leaving.headers), await keyBy(leaving.headers), await keyBy(leaving.headers)];
    const first = await listed(leaving.userId, { limit: 2 });
    const second = await listed(leaving.userId, { limit: 2, cursor: first.meta.next_cursor });
    expect([...first.items, ...second.items].map(({ id }: Body) => id)).toEqual(made.map(({ id }) => id).reverse());
    const elsewhere = await ask(owner, 'api-keys.list', { query: { cursor: first.meta.next_cursor } });
    expect(elsewhere.status).toBe(400);
  });

  test('stay unless asked, and the audit log names them', async () => {
    const leaving = await member('admin');
    const key = await keyBy(leaving.headers);
    const reply = await remove(owner, leaving.userId);
    expect([reply.status, await works(key)]).toEqual([204, true]);
    expect((await actsOf(app, reply))[0]).toMatchObject({ details: { keys_revoked: [], keys_left: [key.id] } });
  });

  test('are revoked with revoke_keys=true, at once, with those they made', async () => {
    const leaving = await member('admin');
    const first = await keyBy(leaving.headers);
    const second = await keyBy(first.headers);
    const own = await keyBy(owner);
    for (const key of [first, second, own]) expect(await works(key)).toBe(true);
    const reply = await remove(owner, leaving.userId, { revoke_keys: true });
    expect([reply.status, reply.text]).toEqual([204, '']);
    expect([await works(first), await works(second), await works(own)]).toEqual([false, false, true]);
    const [{ details }] = (await actsOf(app, reply)) as [Body];
    expect(new Set(details.keys_revoked)).toEqual(new Set([first.id, second.id]));
    expect(details.keys_left).toEqual([]);
  });

  test('not by a caller who may not revoke keys, or lacks what one of them can do: then the member stays too', async () => {
    const leaving = await member('viewer');
    const { userId } = leaving;
    await storedMemberships.change(app, { user_id: userId }, { role: 'owner' });
    const key = await keyBy(leaving.headers, ['messages:read', 'audit:read']);
    await storedMemberships.change(app, { user_id: userId }, { role: 'viewer' });
    const admin = await member('admin');
    const narrow = await bearerToken(
      app.em(),
      tenant.organizationId,
      admin.userId,
      scopes.filter((scope) => scope !== 'api_keys:write'),
    );
    for (const [headers, said] of [
      [narrow.headers, 'lacks the scope api_keys:write'],
      [admin.headers, 'The key was made by an owner: your role is admin'],
    ] as const) {
      const reply = await remove(headers, userId, { revoke_keys: true });
      expect([reply.status, reply.body.error.message]).toEqual([403, expect.stringContaining(said)]);
      expect(await works(key)).toBe(true);
      expect(await storedMemberships.count(app, { user_id: userId })).toBe(1);
    }
    expect((await remove(admin.headers, userId)).status).toBe(204);
  });

  test('revoke_keys takes true and false only', async () => {
    const { userId } = await member('viewer');
    expect((await remove(owner, userId, { revoke_keys: 'some' })).status).toBe(422);
  });
});

describe('revoking follows the rule of rotation', () => {
  const revoke = (headers: Headers, { id }: Made) => ask(headers, 'api-keys.delete', { params: { keyID: id } });

  test('nobody revokes a key that can do more than they may grant', async () => {
    const strong = await keyBy(owner);
    const narrow = await keyBy(owner, ['api_keys:write']);
    const token = await bearerToken(app.em(), tenant.organizationId, (await member('owner')).userId, ['api_keys:write']);
    for (const headers of [narrow.headers, token.headers]) {
      const reply = await revoke(headers, strong);
      expect([reply.status, reply.body.error.message]).toEqual([403, expect.stringMatching(/^You cannot grant the scope /)]);
      expect(await actsOf(app, reply)).toEqual([]);
    }
    const admin = await member('admin');
    const below = await revoke(admin.headers, strong);
    expect([below.status, below.body.error.message]).toEqual([403, 'The key was made by an owner: your role is admin']);
    expect(await works(strong)).toBe(true);
    expect((await revoke(owner, strong)).status).toBe(204);
  });

  test('who has its scopes and is not below its role does, and the key itself', async () => {
    const weak = await keyBy(owner, ['messages:read']);
    const able = await keyBy(owner, ['api_keys:write', 'messages:read']);
    expect((await revoke(able.headers, weak)).status).toBe(204);
    expect((await revoke(able.headers, able)).status).toBe(204);
  });

  test('a credential that was taken away elsewhere revokes nothing in the seconds it is remembered here', async () => {
    const able = await keyBy(owner);
    const other = await keyBy(owner, ['messages:read']);
    expect(await works(able)).toBe(true);
    await storedApiKeys.change(app, able.id, { revoked_at: now() });
    expect((await revoke(able.headers, other)).status).toBe(401);
    expect(await works(other)).toBe(true);
  });
});
