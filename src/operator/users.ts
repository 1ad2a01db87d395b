import { sql } from 'kysely';
import type { Passwords } from '../accounts/password-hash.ts';
import { endResets } from '../accounts/password-reset.ts';
import { checkPassword } from '../accounts/password-rules.ts';
import { endSessions } from '../accounts/sessions.ts';
import { addMember, getMember } from '../organizations/members.ts';
import { Membership } from '../organizations/organization.entity.ts';
import { getOrganization, organizationsOf } from '../organizations/organizations.ts';
import type { Role } from '../organizations/roles.ts';
import { newPassword } from '../platform/credentials.ts';
import type { Em } from '../platform/database/database.ts';
import type { Own } from '../platform/database/own.ts';
import { type TablesOf, tables } from '../platform/database/tables.ts';
import { AppError, notFound } from '../platform/errors.ts';
import type { Transact } from '../platform/ledger/transact.ts';
import type { Tx } from '../platform/ledger/tx.ts';
import { forgetTries } from '../platform/rate-limits/login.ts';
import { User } from '../users/user.entity.ts';
import { createUser, findByEmail, setPassword } from '../users/users.ts';
import { record } from './record.ts';

type Parts = { transact: Transact; passwords: Passwords };
type Wanted = { email: string; name: string; password?: string; membership?: { organizationId: string; role: Role } };

/** `password`: generated here, for a new user. `role`: the user's in the named organization. */
export type Enrolled = { userId: string; isNew: boolean; isAdded: boolean; role?: Role; password?: string };

/** The email counts as verified. An existing user only becomes a member. Throws 404, 409 if there is nothing to do, 422. */
export async function enrolUser({ transact, passwords }: Parts, wanted: Wanted): Promise<Enrolled> {
  const { email, name, membership } = wanted;
  const { password, isGiven } = await chosen(wanted.password, email);
  const passwordHash = await passwords.hash(password);
  return transact({}, async (tx) => {
    if (membership) await getOrganization(tx.of(membership.organizationId));
    const made = await createUser(tx.em, { email, name, passwordHash, emailVerified: true });
    if (!made && !membership) throw new AppError('conflict', 'There is a user of this email already');
    const userId = (made ?? (await findByEmail(tx.em, email)))!.id;
    if (made)
      await record(tx, {
        organizationId: membership?.organizationId ?? null,
        action: 'users.create',
        subject: `user:${userId}`,
      });
    const entry = membership && (await letIn(tx, membership, userId));
    return { userId, isNew: made !== undefined, isAdded: false, ...entry, ...(made && !isGiven && { password }) };
  });
}

async function chosen(given: string | undefined, email: string) {
  const password = given ?? newPassword();
  await checkPassword('password', password, email);
  return { password, isGiven: given !== undefined };
}

async function letIn(tx: Tx, { organizationId, role }: NonNullable<Wanted['membership']>, userId: string) {
  const own = tx.of(organizationId);
  const isAdded = await addMember(own, userId, role);
  if (isAdded) await record(tx, { organizationId, action: 'members.create', subject: `member:${userId}`, details: { role } });
  return { isAdded, role: (await getMember(own, userId)).role };
}

/** Also ends all sessions, tokens and reset links, and forgets failed logins. Throws 404, 422. */
export async function renewPassword({ transact, passwords }: Parts, email: string, given?: string): Promise<string> {
  const { password } = await chosen(given, email);
  const hash = await passwords.hash(password);
  await transact({}, async (tx) => {
    const user = await findByEmail(tx.em, email);
    if (!user) throw notFound('User');
    await setPassword(tx.em, user.id, hash);
    await endSessions(tx.em, user.id);
    await endResets(tx.em, user.id);
    await forgetTries(tx.em, email);
    const own = await organizationsOf(tx.em, user.id);
    for (const organizationId of own.length > 0 ? own.map(({ id }) => id) : [null])
      await record(tx, { organizationId, action: 'users.set-password', subject: `user:${user.id}` });
  });
  return password;
}

export const listUsers = (em: Em) =>
  tables<TablesOf<typeof User | typeof Membership>>(em)
    .selectFrom('users')
    .select(['id', 'email', 'name', 'created_at'])
    .select(({ selectFrom }) =>
      selectFrom('memberships')
        .select(sql<number>`count(*)::int`.as('total'))
        .whereRef('user_id', '=', 'users.id')
        .$asScalar()
        .$notNull()
        .as('organizations'),
    )
    .orderBy('created_at')
    .orderBy('id')
    .execute();

export async function listMembersOf(own: Own) {
  await getOrganization(own);
  return own
    .select(Membership, User)
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select(['users.id', 'users.email', 'users.name', 'users.created_at', 'memberships.role'])
    .orderBy('memberships.created_at')
    .orderBy('users.id')
    .execute();
}
