import { setTimeout as sleep } from 'node:timers/promises';
import { recordAct } from '../platform/audit/record.ts';
import type { Database } from '../platform/database/database.ts';
import { query } from '../platform/database/query.ts';
import { AppError } from '../platform/errors.ts';
import { uuidv7 } from '../platform/ids.ts';
import type { Transact } from '../platform/ledger/transact.ts';
import type { LoginLimits } from '../platform/rate-limits/login.ts';
import { findByEmail, foldEmail, isPasswordStill, type UserRow } from '../users/users.ts';
import type { Passwords } from './password-hash.ts';
import { type Device, endSessionOf, openSession } from './sessions.ts';

type Parts = { database: Database; transact: Transact; passwords: Passwords; limits: LoginLimits };
export type Credentials = { email: string; password: string };

/** An unknown email costs the same work and fails alike. `oldToken`: from the browser's cookie. Throws 401, 429. */
export async function login(
  { database, transact, passwords, limits }: Parts,
  { email, password }: Credentials,
  device: Device & { requestId: string },
  oldToken: string | undefined,
): Promise<{ user: UserRow; token: string }> {
  const folded = foldEmail(email);
  await limits.attempt(folded, device.address);
  const found = await findByEmail(database.em(), folded);
  const isRight = await passwords.verify(found?.password_hash, password).catch(limits.giveBack(folded, device.address));
  if (!found || !isRight) {
    await Promise.all([recordFailure(database, found?.id, device), sleep(evenMs)]);
    throw wrongCredentials();
  }
  const { password_hash: _, ...user } = found;
  const session = await transact({}, async (tx) => {
    // A password change ends every session: no session may begin with the old password after it.
    if (!(await isPasswordStill(tx.em, found, 'share'))) throw wrongCredentials();
    if (oldToken) await endSessionOf(tx.em, oldToken);
    const opened = await openSession(tx.em, user.id, device);
    await recordAct(tx.em, {
      organizationId: opened.organizationId,
      actor: `user:${user.id}`,
      action: 'auth.login',
      subject: `session:${opened.id}`,
      address: device.address,
      requestId: device.requestId,
    });
    return opened;
  });
  await limits.succeeded(folded, device.address);
  return { user, token: session.token };
}

/** More than a commit takes: only the failure of a known email commits, and the time must not show it. */
const evenMs = 25;

const wrongCredentials = () => new AppError('unauthorized', 'Email or password is wrong');

/** SQL: a set: one audit entry in each of the user's organizations; without a user it costs the same. */
async function recordFailure(database: Database, userId: string | undefined, device: Device & { requestId: string }) {
  await query(
    database,
    `insert into audit_log (id, organization_id, actor, action, subject, address, request_id)
     select uuidv7(), m.organization_id, 'user:' || m.user_id, 'auth.login-failed', 'user:' || m.user_id, $2, $3
     from memberships m
     where m.user_id = $1`,
    [userId ?? uuidv7(), device.address, device.requestId],
  );
}
