import { sql } from 'kysely';
import { requestMail } from '../mails/request.ts';
import type { Membership } from '../organizations/organization.entity.ts';
import { recordAct } from '../platform/audit/record.ts';
import { newSecretToken } from '../platform/credentials.ts';
import { fromNow, now } from '../platform/database/columns.ts';
import type { Database, Em } from '../platform/database/database.ts';
import { type RowOf, type TablesOf, tables } from '../platform/database/tables.ts';
import { invalidField } from '../platform/errors.ts';
import { uuidv7 } from '../platform/ids.ts';
import type { Transact } from '../platform/ledger/transact.ts';
import type { LoginLimits } from '../platform/rate-limits/login.ts';
import { type Secrets, sha256 } from '../platform/secrets.ts';
import type { User } from '../users/user.entity.ts';
import { foldEmail, setPassword, verifyEmail } from '../users/users.ts';
import { PasswordReset } from './account.entity.ts';
import type { Passwords } from './password-hash.ts';
import { checkPassword } from './password-rules.ts';
import { endSessions } from './sessions.ts';

type Parts = { database: Database; transact: Transact; passwords: Passwords; limits: LoginLimits; secrets: Secrets };
type From = { address: string; requestId: string };

const linkMinutes = 60;
type Asker = RowOf<typeof User, 'id' | 'name' | 'email'> & { organization_id: string; is_member: boolean; expires_at: string };

/** SQL: finds the user and an organization to send as; locks the row, so that of two concurrent requests one link is newest. */
const askerByEmail = `
  select u.id, u.name, u.email,
    coalesce(m.organization_id, i.organization_id) as organization_id,
    m.organization_id is not null as is_member,
    (clock_timestamp() + $2 * interval '1 minute')::text as expires_at
  from users u
  left join memberships m on m.user_id = u.id
  left join invitations i on i.email = u.email
    and i.accepted_at is null and i.revoked_at is null and i.expires_at > clock_timestamp()
  where u.email = $1 and (m.user_id is not null or i.id is not null)
  order by m.created_at, i.created_at
  limit 1
  for no key update of u`;

/** Mails a one-time link if the email has an account, and never shows the caller whether it has. Throws 429 by address. */
export async function requestReset({ transact, limits, secrets }: Parts, email: string, from: From): Promise<void> {
  const folded = foldEmail(email);
  const isMailed = await limits.mail(folded, from.address);
  if (!isMailed) return;
  const token = newSecretToken();
  await transact({}, async (tx) => {
    const [user] = await tx.query<Asker>(askerByEmail, [folded, linkMinutes]);
    if (!user) return;
    await newReset(tx.em, user.id, token);
    await requestMail(tx.of(user.organization_id), secrets, {
      kind: 'password_reset',
      recipient: user.email,
      data: { name: user.name, expires_at: new Date(user.expires_at).toISOString() },
      token,
    });
    await recordAct(tx.em, {
      // An organization that only invited the user must not learn that the account exists.
      organizationId: user.is_member ? user.organization_id : null,
      actor: `user:${user.id}`,
      action: 'auth.password-reset.request',
      subject: `user:${user.id}`,
      ...from,
    });
  });
}

async function newReset(em: Em, userId: string, token: string) {
  await em.nativeDelete(PasswordReset, { user_id: userId, used_at: null });
  const expires_at = fromNow(linkMinutes, 'minute');
  await em.insert(PasswordReset, { id: uuidv7(), user_id: userId, hash: sha256(token), expires_at, used_at: null });
}

export async function endResets(em: Em, userId: string): Promise<void> {
  await em.nativeDelete(PasswordReset, { user_id: userId });
}

/** The link also verifies the email, and ends every session and token. Returns the user's id. Throws 422. */
export async function confirmReset(
  { database, transact, passwords, limits }: Parts,
  request: { token: string; new_password: string },
  from: From,
): Promise<string> {
  await limits.work(from.address);
  const reset = await usable(database.em(), request.token);
  await checkPassword('new_password', request.new_password, reset.email);
  const hash = await passwords.hash(request.new_password);
  await transact({}, async (tx) => {
    const unused = { id: reset.id, used_at: null, expires_at: { $gt: now() } };
    if ((await tx.em.nativeUpdate(PasswordReset, unused, { used_at: now() })) === 0) throw usedLink();
    await setPassword(tx.em, reset.user_id, hash);
    await verifyEmail(tx.em, reset.user_id);
    await endSessions(tx.em, reset.user_id);
    await recordAct(tx.em, {
      organizationId: reset.organization_id,
      actor: `user:${reset.user_id}`,
      action: 'auth.password-reset.confirm',
      subject: `user:${reset.user_id}`,
      ...from,
    });
  });
  await limits.forgive(reset.email, from.address);
  return reset.user_id;
}

const usedLink = () => invalidField('token', 'The link has been used: ask for a new one', 'token.used');

async function usable(em: Em, token: string) {
  const reset = await tables<TablesOf<typeof PasswordReset | typeof User | typeof Membership>>(em)
    .selectFrom('password_resets')
    .innerJoin('users', 'users.id', 'password_resets.user_id')
    .select(['password_resets.id', 'password_resets.user_id', 'password_resets.used_at', 'users.email'])
    .select(sql<boolean>`password_resets.expires_at <= clock_timestamp()`.as('is_expired'))
    .select(({ selectFrom }) =>
      selectFrom('memberships')
        .select('memberships.organization_id')
        .whereRef('memberships.user_id', '=', 'users.id')
        .orderBy('memberships.created_at')
        .limit(1)
        .as('organization_id'),
    )
    .where('password_resets.hash', '=', sha256(token))
    .executeTakeFirst();
  if (!reset) throw invalidField('token', 'The link is not valid: ask for a new one', 'token.unknown');
  if (reset.used_at) throw usedLink();
  if (reset.is_expired) throw invalidField('token', 'The link has expired: ask for a new one', 'token.expired');
  return reset;
}
