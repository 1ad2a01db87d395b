import type { Source } from '../platform/database/database.ts';
import { query } from '../platform/database/query.ts';
import { AppError } from '../platform/errors.ts';
import { uuidv7 } from '../platform/ids.ts';

/** The session user of the API's contract. */
export type UserRow = {
  id: string;
  name: string;
  email: string;
  email_verified: boolean;
  timezone: string;
  week_start: string;
  created_at: string;
};

const columns = 'id, name, email, email_verified, timezone, week_start, created_at';

/** How an email is stored and looked for: two spellings are one account. */
export const foldEmail = (email: string) => email.trim().toLowerCase();

export async function findUser(source: Source, id: string): Promise<UserRow | undefined> {
  const [row] = await query<UserRow>(source, `select ${columns} from users where id = $1`, [id]);
  return row;
}

export async function findByEmail(
  source: Source,
  email: string,
): Promise<(UserRow & { password_hash: string | null }) | undefined> {
  const [row] = await query<UserRow & { password_hash: string | null }>(
    source,
    `select ${columns}, password_hash from users where email = $1`,
    [foldEmail(email)],
  );
  return row;
}

export async function passwordHashOf(source: Source, userId: string): Promise<{ email: string; password_hash: string | null }> {
  const [row] = await query<{ email: string; password_hash: string | null }>(
    source,
    'select email, password_hash from users where id = $1',
    [userId],
  );
  if (!row) throw new AppError('unauthorized', 'The user is gone');
  return row;
}

export type NewUser = { email: string; name: string; passwordHash: string; emailVerified: boolean };

/** Returns undefined when there is a user of that email already. */
export async function createUser(source: Source, user: NewUser): Promise<UserRow | undefined> {
  const [row] = await query<UserRow>(
    source,
    `insert into users (id, email, name, password_hash, email_verified, password_changed_at) values ($1, $2, $3, $4, $5, clock_timestamp())
     on conflict (email) do nothing returning ${columns}`,
    [uuidv7(), foldEmail(user.email), user.name, user.passwordHash, user.emailVerified],
  );
  return row;
}

export async function setPassword(source: Source, userId: string, passwordHash: string): Promise<void> {
  await query(
    source,
    'update users set password_hash = $2, password_changed_at = clock_timestamp(), updated_at = clock_timestamp() where id = $1',
    [userId, passwordHash],
  );
}

export type UserChange = { name?: string; timezone?: string; week_start?: string };

export async function changeUser(source: Source, userId: string, change: UserChange): Promise<UserRow> {
  const [row] = await query<UserRow>(
    source,
    `update users set name = coalesce($2, name), timezone = coalesce($3, timezone), week_start = coalesce($4, week_start),
       updated_at = clock_timestamp() where id = $1 returning ${columns}`,
    [userId, change.name ?? null, change.timezone ?? null, change.week_start ?? null],
  );
  if (!row) throw new AppError('unauthorized', 'The user is gone');
  return row;
}

export type OwnOrganization = { id: string; name: string; role: string };

/** The organizations a user is a member of, oldest membership first. */
export const organizationsOf = (source: Source, userId: string) =>
  query<OwnOrganization>(
    source,
    `select o.id, o.name, m.role from memberships m join organizations o on o.id = m.organization_id where m.user_id = $1 order by m.created_at, o.id limit 1000`,
    [userId],
  );
