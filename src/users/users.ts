import { sql } from 'kysely';
import { now } from '../platform/database/columns.ts';
import type { Em } from '../platform/database/database.ts';
import { type RowOf, type TablesOf, tables } from '../platform/database/tables.ts';
import { AppError } from '../platform/errors.ts';
import { uuidv7 } from '../platform/ids.ts';
import { User } from './user.entity.ts';

const columns = ['id', 'name', 'email', 'email_verified', 'timezone', 'week_start', 'created_at'] as const;
export type UserRow = RowOf<typeof User, (typeof columns)[number]>;

const users = (em: Em) => tables<TablesOf<typeof User>>(em);

/** Two spellings of an email are one account. */
export const foldEmail = (email: string) => email.trim().toLowerCase();

export const findUser = (em: Em, id: string): Promise<UserRow | undefined> =>
  users(em).selectFrom('users').select(columns).where('id', '=', id).executeTakeFirst();

export const findByEmail = (em: Em, email: string): Promise<(UserRow & RowOf<typeof User, 'password_hash'>) | undefined> =>
  users(em).selectFrom('users').select(columns).select('password_hash').where('email', '=', foldEmail(email)).executeTakeFirst();

/** Throws 401 when the user no longer exists. */
export async function passwordHashOf(em: Em, userId: string): Promise<RowOf<typeof User, 'email' | 'password_hash'>> {
  const found = users(em).selectFrom('users').select(['email', 'password_hash']).where('id', '=', userId);
  return (await found.executeTakeFirst()) ?? noUser();
}

/** Locks the user's row until the transaction ends: `share` lets several run at once, `update` is for changing the user. */
export async function isPasswordStill(
  em: Em,
  { id, password_hash }: RowOf<typeof User, 'id' | 'password_hash'>,
  lock: 'share' | 'update',
): Promise<boolean> {
  const row = users(em).selectFrom('users').select('id').where('id', '=', id).where('password_hash', '=', password_hash);
  return (await (lock === 'share' ? row.forShare() : row.forUpdate()).executeTakeFirst()) !== undefined;
}

export type NewUser = { email: string; name: string; passwordHash: string; emailVerified: boolean };

/** Undefined: the email has a user already. */
export const createUser = (em: Em, user: NewUser): Promise<UserRow | undefined> =>
  users(em)
    .insertInto('users')
    .values({
      id: uuidv7(),
      email: foldEmail(user.email),
      name: user.name,
      password_hash: user.passwordHash,
      email_verified: user.emailVerified,
      password_changed_at: sql<string>`clock_timestamp()`,
    })
    .onConflict((conflict) => conflict.column('email').doNothing())
    .returning(columns)
    .executeTakeFirst();

export async function setPassword(em: Em, userId: string, passwordHash: string): Promise<void> {
  const change = { password_hash: passwordHash, password_changed_at: now(), updated_at: now() };
  await em.nativeUpdate(User, { id: userId }, change);
}

/** For somebody who opened a link that was mailed to that email. */
export async function verifyEmail(em: Em, userId: string): Promise<void> {
  await em.nativeUpdate(User, { id: userId, email_verified: false }, { email_verified: true, updated_at: now() });
}

export type UserChange = { name?: string; timezone?: string; week_start?: string };

export async function changeUser(em: Em, userId: string, { name, timezone, week_start }: UserChange): Promise<UserRow> {
  const changed = users(em)
    .updateTable('users')
    .set({ name, timezone, week_start, updated_at: sql<string>`clock_timestamp()` })
    .where('id', '=', userId)
    .returning(columns);
  return (await changed.executeTakeFirst()) ?? noUser();
}

const noUser = () => {
  throw new AppError('unauthorized', 'The user no longer exists');
};
