import { beforeEach, expect, test } from '@jest/globals';
import { acceptInvitation } from '../../../src/accounts/accept-invitation.ts';
import { PasswordReset } from '../../../src/accounts/account.entity.ts';
import { login } from '../../../src/accounts/login.ts';
import type { Passwords } from '../../../src/accounts/password-hash.ts';
import { endSession, endSessions, openSession } from '../../../src/accounts/sessions.ts';
import { createToken } from '../../../src/accounts/tokens.ts';
import type { Caller } from '../../../src/organizations/caller.ts';
import { Membership } from '../../../src/organizations/organization.entity.ts';
import { scopesOf } from '../../../src/organizations/roles.ts';
import { BearerToken, Session } from '../../../src/users/user.entity.ts';
import { setPassword } from '../../../src/users/users.ts';
import { useApp } from '../../support/app.ts';
import { bearerToken, type Person, person } from '../../support/factories/person.ts';

/** What one request has looked at, another changes before it acts. */
const app = useApp();
const device = { address: '127.0.0.1', userAgent: 'test', requestId: 'test' };
let ada: Person;

beforeEach(async () => {
  ada = await person(app.em(), app.tenant.organizationId);
});

test('a login under way with the old password opens no session after the password has changed', async () => {
  const { database, ledger, passwords, loginLimits } = app.web.deps;
  const slow: Passwords = {
    ...passwords,
    async verify(stored, password) {
      const isRight = await passwords.verify(stored, password);
      await setPassword(database.em(), ada.userId, await passwords.hash('the new password'));
      await endSessions(database.em(), ada.userId);
      return isRight;
    },
  };
  const parts = { database, transact: ledger.transact, passwords: slow, limits: loginLimits };
  await expect(login(parts, ada, device, undefined)).rejects.toMatchObject({ code: 'unauthorized' });
  expect(await app.em().count(Session, { user_id: ada.userId })).toBe(0);
});

test('an invitation accepted with the old password lets nobody in after the password has changed', async () => {
  const { organizationId, key } = await app.organization();
  const { body } = await app.call('invitations.create', { key, body: { email: ada.email, role: 'owner' } });
  const { database, ledger, passwords, loginLimits } = app.web.deps;
  const slow: Passwords = {
    ...passwords,
    async verify(stored, password) {
      const isRight = await passwords.verify(stored, password);
      await setPassword(database.em(), ada.userId, await passwords.hash('the new password'));
      return isRight;
    },
  };
  const parts = { database, transact: ledger.transact, passwords: slow, limits: loginLimits };
  const accepting = acceptInvitation(parts, { token: body.token, password: ada.password }, device);
  await expect(accepting).rejects.toMatchObject({ details: [{ field: 'password', code: 'password.wrong' }] });
  expect(await app.em().count(Membership, { organization_id: organizationId })).toBe(0);
});

test('a session that has just ended makes no token', async () => {
  const { id } = await openSession(app.em(), ada.userId, device);
  const caller: Caller = {
    by: 'session',
    id,
    organizationId: app.tenant.organizationId,
    role: 'owner',
    scopes: scopesOf.owner,
    userId: ada.userId,
    sessionId: id,
  };
  const make = () =>
    app.web.deps.ledger.transact({}, (tx) =>
      createToken(tx.of(caller.organizationId), caller, { name: 'Laptop', scopes: undefined, expiresInDays: 1 }),
    );
  expect((await make()).token).toMatch(/^kt_/);
  await endSession(app.em(), id);
  await expect(make()).rejects.toMatchObject({ code: 'unauthorized' });
});

test('ending all sessions ends a token of no known session too', async () => {
  await bearerToken(app.em(), app.tenant.organizationId, ada.userId);
  await endSessions(app.em(), ada.userId);
  expect(await app.em().count(BearerToken, { user_id: ada.userId })).toBe(0);
});

test('of two reset links asked for at once one holds', async () => {
  const ask = () => app.call('auth.password-reset.request', { key: null, body: { email: ada.email } });
  await Promise.all([ask(), ask(), ask()]);
  expect(await app.em().count(PasswordReset, { user_id: ada.userId })).toBe(1);
});
