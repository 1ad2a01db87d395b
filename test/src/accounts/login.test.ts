import { beforeAll, expect, test } from '@jest/globals';
import { changePassword } from '../../../src/accounts/change-password.ts';
import { login } from '../../../src/accounts/login.ts';
import { createPasswords, type Passwords } from '../../../src/accounts/password-hash.ts';
import type { Caller } from '../../../src/organizations/caller.ts';
import { scopesOf } from '../../../src/organizations/roles.ts';
import { useApp } from '../../support/app.ts';
import { type Person, person } from '../../support/factories/person.ts';
import { loginLimits as storedLimits } from '../../support/rules/people.ts';

const app = useApp();
const device = { address: '203.0.113.20', userAgent: 'test', requestId: 'test' };
let ada: Person;
/** They refuse every hash, as those of a process that has too many waiting, or is stopping. */
let busy: Passwords;

beforeAll(async () => {
  ada = await person(app.em(), app.tenant.organizationId);
  busy = createPasswords();
  await busy.close();
});

const partsWith = (passwords: Passwords) => {
  const { database, ledger, loginLimits } = app.web.deps;
  return { database, transact: ledger.transact, passwords, limits: loginLimits };
};
const counted = async () =>
  (await storedLimits(app.em()))
    .filter(({ points }) => points > 0)
    .map(({ key }) => key.split(':')[0])
    .sort();

test('a login that was never looked at counts for nobody: who tries on through a storm is not locked out by it', async () => {
  for (let number = 0; number < 12; number += 1)
    await expect(login(partsWith(busy), ada, device, undefined)).rejects.toMatchObject({ code: 'unavailable' });
  expect(await counted()).toEqual([]);
  const wrong = { ...ada, password: 'not the password' };
  await expect(login(partsWith(app.web.deps.passwords), wrong, device, undefined)).rejects.toMatchObject({ status: 401 });
  expect(await counted()).toEqual(['address', 'email', 'pair']);
});

test('nor does a change of the password, and what was counted before stays counted', async () => {
  const caller: Caller = {
    by: 'session',
    id: ada.userId,
    organizationId: app.tenant.organizationId,
    role: 'owner',
    scopes: scopesOf.owner,
    userId: ada.userId,
  };
  const wish = { current_password: ada.password, new_password: 'a garden of seven lamps' };
  const before = await storedLimits(app.em());
  await expect(changePassword(partsWith(busy), caller, wish, device)).rejects.toMatchObject({ code: 'unavailable' });
  expect(await storedLimits(app.em())).toEqual(before);
});
