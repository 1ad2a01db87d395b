import { createPasswords } from '../../src/accounts/password-hash.ts';
import { enrolUser, renewPassword } from '../../src/operator/users.ts';
import { newPassword } from '../../src/platform/credentials.ts';
import type { Database } from '../../src/platform/database/database.ts';
import { createTransact } from '../../src/platform/ledger/transact.ts';
import { findByEmail } from '../../src/users/users.ts';
import type { Home } from './home.ts';

const email = 'demo@kanal.test';

export type DemoUser = { email: string; password: string };

/** An owner of the demo organization with the home's password, also when the database has this user with another one. */
export async function demoUser(database: Database, home: Home, organizationId: string): Promise<DemoUser> {
  const password = home.kept.userPassword ?? newPassword();
  home.keep({ userPassword: password });
  const passwords = createPasswords();
  const parts = { transact: createTransact(database, () => undefined), passwords };
  try {
    const known = await findByEmail(database.em(), email);
    if (known && !(await passwords.verify(known.password_hash, password))) await renewPassword(parts, email, password);
    await enrolUser(parts, { email, name: 'Demo User', password, membership: { organizationId, role: 'owner' } });
  } finally {
    await passwords.close();
  }
  return { email, password };
}
