import { type Caller, noOrganization } from '../organizations/caller.ts';
import { recordAct } from '../platform/audit/record.ts';
import type { Database } from '../platform/database/database.ts';
import { invalidField } from '../platform/errors.ts';
import type { Transact } from '../platform/ledger/transact.ts';
import type { LoginLimits } from '../platform/rate-limits/login.ts';
import { isPasswordStill, passwordHashOf, setPassword } from '../users/users.ts';
import type { Passwords } from './password-hash.ts';
import { endResets } from './password-reset.ts';
import { checkPassword } from './password-rules.ts';
import { endSessions } from './sessions.ts';

type Parts = { database: Database; transact: Transact; passwords: Passwords; limits: LoginLimits };
type From = { address: string; requestId: string };

/** Ends the user's other sessions and their tokens. A wrong current password counts as a failed login. Throws 422, 429. */
export async function changePassword(
  { database, transact, passwords, limits }: Parts,
  caller: Caller,
  request: { current_password: string; new_password: string },
  { address, requestId }: From,
): Promise<void> {
  const userId = caller.userId!;
  const { email, password_hash: stored } = await passwordHashOf(database.em(), userId);
  await checkPassword('new_password', request.new_password, email);
  await limits.attempt(email, address);
  if (!(await passwords.verify(stored, request.current_password).catch(limits.giveBack(email, address))))
    throw invalidField('current_password', 'current_password is not right', 'password.wrong');
  const hash = await passwords.hash(request.new_password);
  await transact({}, async (tx) => {
    // Of two concurrent changes the second must fail: its current password is no longer right.
    if (!(await isPasswordStill(tx.em, { id: userId, password_hash: stored }, 'update')))
      throw invalidField('current_password', 'current_password is not right any more', 'password.wrong');
    await setPassword(tx.em, userId, hash);
    await endSessions(tx.em, userId, caller.sessionId);
    await endResets(tx.em, userId);
    await recordAct(tx.em, {
      organizationId: caller.organizationId === noOrganization ? null : caller.organizationId,
      actor: `user:${userId}`,
      action: 'auth.password.change',
      subject: `user:${userId}`,
      address,
      requestId,
    });
  });
  await limits.succeeded(email, address);
}
