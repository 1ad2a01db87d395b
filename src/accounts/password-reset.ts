import { requestMail } from '../mails/request.ts';
import { recordAct } from '../platform/audit/record.ts';
import type { Database } from '../platform/database/database.ts';
import { query } from '../platform/database/query.ts';
import { invalidField } from '../platform/errors.ts';
import { uuidv7 } from '../platform/ids.ts';
import type { Transact } from '../platform/ledger/transact.ts';
import type { LoginLimits } from '../platform/rate-limits/login.ts';
import { type Secrets, sha256 } from '../platform/secrets.ts';
import { newSecretToken } from './credentials.ts';
import type { Passwords } from './password-hash.ts';
import { checkPassword } from './password-rules.ts';
import { endSessions } from './sessions.ts';
import { foldEmail, setPassword } from './users.ts';

type Parts = { database: Database; transact: Transact; passwords: Passwords; limits: LoginLimits; secrets: Secrets };
type From = { address: string; requestId: string };

const linkMinutes = 60;
type Asker = { id: string; name: string; email: string; organization_id: string; is_member: boolean; expires_at: string };

/** Mails a one-time link to the owner of the email, if there is one. Nothing tells the asker which. Throws 429 by address. */
export async function requestReset({ transact, limits, secrets }: Parts, email: string, from: From): Promise<void> {
  const folded = foldEmail(email);
  const isMailed = await limits.mail(folded, from.address);
  if (!isMailed) return;
  const token = newSecretToken();
  await transact({}, async (tx) => {
    // The mail's job belongs to an organization: the user's first, else one that has invited him and asks for his password. Who is in
    // none and invited to none has nothing to log in to. His row is locked, so that of two links asked for at once only one is the newest.
    const [user] = await tx.query<Asker>(
      `select u.id, u.name, u.email, coalesce(m.organization_id, i.organization_id) as organization_id, m.organization_id is not null as is_member,
         (clock_timestamp() + ${linkMinutes} * interval '1 minute')::text as expires_at
       from users u left join memberships m on m.user_id = u.id
       left join invitations i on i.email = u.email and i.accepted_at is null and i.revoked_at is null and i.expires_at > clock_timestamp()
       where u.email = $1 and (m.user_id is not null or i.id is not null) order by m.created_at, i.created_at limit 1 for no key update of u`,
      [folded],
    );
    if (!user) return;
    await newReset(tx.em, user.id, token);
    await requestMail(tx, secrets, {
      organizationId: user.organization_id,
      kind: 'password_reset',
      recipient: user.email,
      data: { name: user.name, expires_at: new Date(user.expires_at).toISOString() },
      token,
    });
    await recordAct(tx.em, {
      // Who has only invited him must not learn from it that there is an account.
      organizationId: user.is_member ? user.organization_id : null,
      actor: `user:${user.id}`,
      action: 'auth.password-reset.request',
      subject: `user:${user.id}`,
      ...from,
    });
  });
}

/** Only the newest link holds. */
async function newReset(em: Parameters<typeof query>[0], userId: string, token: string) {
  await query(em, 'delete from password_resets where user_id = $1 and used_at is null', [userId]);
  await query(
    em,
    `insert into password_resets (id, user_id, hash, expires_at) values ($1, $2, $3, clock_timestamp() + ${linkMinutes} * interval '1 minute')`,
    [uuidv7(), userId, sha256(token)],
  );
}

type Reset = {
  id: string;
  user_id: string;
  email: string;
  is_used: boolean;
  is_expired: boolean;
  organization_id: string | null;
};

/** Sets the password by a one-time link: it proves the email, and ends every session and token. Returns whose. Throws 422 on `token` or `new_password`. */
export async function confirmReset(
  { database, transact, passwords, limits }: Parts,
  request: { token: string; new_password: string },
  from: From,
): Promise<string> {
  await limits.work(from.address);
  const reset = await usable(database, request.token);
  await checkPassword('new_password', request.new_password, reset.email);
  const hash = await passwords.hash(request.new_password);
  await transact({}, async (tx) => {
    const rows = await tx.query(
      'update password_resets set used_at = clock_timestamp() where id = $1 and used_at is null and expires_at > clock_timestamp() returning id',
      [reset.id],
    );
    if (rows.length === 0) throw usedLink();
    await setPassword(tx.em, reset.user_id, hash);
    await tx.query('update users set email_verified = true where id = $1', [reset.user_id]);
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

async function usable(database: Database, token: string): Promise<Reset> {
  const [reset] = await query<Reset>(
    database,
    `select r.id, r.user_id, u.email, r.used_at is not null as is_used, r.expires_at <= clock_timestamp() as is_expired,
       (select m.organization_id from memberships m where m.user_id = u.id order by m.created_at limit 1) as organization_id
     from password_resets r join users u on u.id = r.user_id where r.hash = $1`,
    [sha256(token)],
  );
  if (!reset) throw invalidField('token', 'The link is not valid: ask for a new one', 'token.unknown');
  if (reset.is_used) throw usedLink();
  if (reset.is_expired) throw invalidField('token', 'The link has expired: ask for a new one', 'token.expired');
  return reset;
}
