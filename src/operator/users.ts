import { newPassword } from '../accounts/credentials.ts';
import type { Passwords } from '../accounts/password-hash.ts';
import { checkPassword } from '../accounts/password-rules.ts';
import { endSessions } from '../accounts/sessions.ts';
import { createUser, findByEmail, organizationsOf, setPassword } from '../accounts/users.ts';
import { addMember, getMember } from '../organizations/members.ts';
import { getOrganization } from '../organizations/organizations.ts';
import type { Role } from '../organizations/roles.ts';
import type { Source } from '../platform/database/database.ts';
import { query } from '../platform/database/query.ts';
import { AppError, notFound } from '../platform/errors.ts';
import type { Transact } from '../platform/ledger/transact.ts';
import type { Tx } from '../platform/ledger/tx.ts';
import { forgetTries } from '../platform/rate-limits/login.ts';
import { record } from './record.ts';

type Parts = { transact: Transact; passwords: Passwords };
type Wanted = { email: string; name: string; password?: string; membership?: { organizationId: string; role: Role } };

/** `password` is one that was made up here, for a new user. `role` is the one he has in the organization that was named. */
export type Enrolled = { userId: string; isNew: boolean; isAdded: boolean; role?: Role; password?: string };

/**
 * Makes a user, whose email the operator vouches for, and lets him into an organization. Somebody who is there already is only let in.
 * Throws 409 for one with no organization to be let into, 404 for an unknown organization, 422 on `password`.
 */
export async function enrolUser({ transact, passwords }: Parts, wanted: Wanted): Promise<Enrolled> {
  const { email, name, membership } = wanted;
  const { password, isGiven } = await chosen(wanted.password, email);
  const passwordHash = await passwords.hash(password);
  return transact({}, async (tx) => {
    if (membership) await getOrganization(tx.em, membership.organizationId);
    const made = await createUser(tx.em, { email, name, passwordHash, emailVerified: true });
    if (!made && !membership) throw new AppError('conflict', 'There is a user of this email already');
    const userId = (made ?? (await findByEmail(tx.em, email)))!.id;
    if (made)
      await record(tx, {
        organizationId: membership?.organizationId ?? null,
        action: 'users.create',
        subject: `user:${userId}`,
      });
    const entry = membership && (await letIn(tx, membership.organizationId, userId, membership.role));
    return { userId, isNew: made !== undefined, isAdded: false, ...entry, ...(made && !isGiven && { password }) };
  });
}

async function chosen(given: string | undefined, email: string) {
  const password = given ?? newPassword();
  await checkPassword('password', password, email);
  return { password, isGiven: given !== undefined };
}

/** A member keeps the role he has. */
async function letIn(tx: Tx, organizationId: string, userId: string, role: Role) {
  const isAdded = await addMember(tx.em, organizationId, userId, role);
  if (isAdded) await record(tx, { organizationId, action: 'members.create', subject: `member:${userId}`, details: { role } });
  return { isAdded, role: (await getMember(tx.em, organizationId, userId)).role };
}

/**
 * Sets a user's password, a given one or one made up here, ends all his sessions, tokens and reset links, and forgets his failed logins. It is
 * in the log of each of his organizations. Throws 404, 422 on `password`.
 */
export async function renewPassword({ transact, passwords }: Parts, email: string, given?: string): Promise<string> {
  const { password } = await chosen(given, email);
  const hash = await passwords.hash(password);
  await transact({}, async (tx) => {
    const user = await findByEmail(tx.em, email);
    if (!user) throw notFound('User');
    await setPassword(tx.em, user.id, hash);
    await endSessions(tx.em, user.id);
    await tx.query('delete from password_resets where user_id = $1', [user.id]);
    await forgetTries(tx.em, email);
    const own = await organizationsOf(tx.em, user.id);
    for (const organizationId of own.length > 0 ? own.map(({ id }) => id) : [null])
      await record(tx, { organizationId, action: 'users.set-password', subject: `user:${user.id}` });
  });
  return password;
}

export type ListedUser = { id: string; email: string; name: string; created_at: string; organizations: number };
export type ListedMember = Omit<ListedUser, 'organizations'> & { role: Role };

export const listUsers = (source: Source) =>
  query<ListedUser>(
    source,
    `select u.id, u.email, u.name, u.created_at, (select count(*)::int from memberships m where m.user_id = u.id) as organizations
     from users u order by u.created_at, u.id`,
  );

/** Throws 404. */
export async function listMembersOf(source: Source, organizationId: string): Promise<ListedMember[]> {
  await getOrganization(source, organizationId);
  return query<ListedMember>(
    source,
    `select u.id, u.email, u.name, u.created_at, m.role from memberships m join users u on u.id = m.user_id
     where m.organization_id = $1 order by m.created_at, u.id`,
    [organizationId],
  );
}
