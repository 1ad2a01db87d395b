import { openInvitation } from '../organizations/invitations.ts';
import { addMember } from '../organizations/members.ts';
import { getOrganization, lockOrganization } from '../organizations/organizations.ts';
import type { Role } from '../organizations/roles.ts';
import { recordAct } from '../platform/audit/record.ts';
import type { Database } from '../platform/database/database.ts';
import { AppError, invalidField } from '../platform/errors.ts';
import type { Transact } from '../platform/ledger/transact.ts';
import type { LoginLimits } from '../platform/rate-limits/login.ts';
import type { Passwords } from './password-hash.ts';
import { checkPassword } from './password-rules.ts';
import { createUser, findByEmail } from './users.ts';

type Parts = { database: Database; transact: Transact; passwords: Passwords; limits: LoginLimits };
type Request = { token: string; name?: string; password: string };
type From = { address: string; requestId: string };
export type Accepted = { organization_id: string; organization_name: string; user_id: string; role: Role };

/**
 * Lets the invited person in. Without an account of that email one is made, which a mailed link proves; whoever has one shows its password: a
 * link alone makes nobody act for an account. Throws 422 on `token`, `name` or `password`, 409 for a member, 429.
 */
export async function acceptInvitation(
  { database, transact, passwords, limits }: Parts,
  { token, name, password }: Request,
  { address, requestId }: From,
): Promise<Accepted> {
  await limits.work(address);
  const { email, organization_id: organizationId } = await openInvitation(database.em(), token);
  const known = await findByEmail(database, email);
  if (known) await limits.attempt(email, address);
  else await checkPassword('password', password, email);
  if (!known && !name) throw invalidField('name', 'name is required: there is no account of this email yet', 'any.required');
  const hash = known ? undefined : await passwords.hash(password);
  if (known && !(await passwords.verify(known.password_hash, password).catch(limits.giveBack(email, address))))
    throw wrongPassword();
  const accepted = await transact({}, async (tx) => {
    // Before the invitation's own lock, as those who invite and remove take them.
    await lockOrganization(tx.em, organizationId);
    const invitation = await openInvitation(tx.em, token, 'for update');
    // A password changed in the meantime opens nothing any more, as at a login.
    const isStill = known && [known.id, known.password_hash];
    if (isStill && (await tx.query('select 1 from users where id = $1 and password_hash = $2 for update', isStill)).length === 0)
      throw wrongPassword();
    const user =
      known ?? (await createUser(tx.em, { email, name: name!, passwordHash: hash!, emailVerified: invitation.is_mailed }));
    // Somebody made the account in the meantime: its password is the one to show.
    if (!user) throw new AppError('conflict', 'An account of this email was made just now: try again with its password');
    if (known && invitation.is_mailed && !known.email_verified)
      await tx.query('update users set email_verified = true, updated_at = clock_timestamp() where id = $1', [known.id]);
    if (!(await addMember(tx.em, invitation.organization_id, user.id, invitation.role)))
      throw new AppError('conflict', 'You are a member of this organization already');
    await tx.query('update invitations set accepted_at = clock_timestamp() where id = $1', [invitation.id]);
    await recordAct(tx.em, {
      organizationId: invitation.organization_id,
      actor: `user:${user.id}`,
      action: 'invitations.accept',
      subject: `invitation:${invitation.id}`,
      address,
      requestId,
      details: { role: invitation.role },
    });
    const { name: organizationName } = await getOrganization(tx.em, organizationId);
    return { organization_id: organizationId, organization_name: organizationName, user_id: user.id, role: invitation.role };
  });
  if (known) await limits.succeeded(email, address);
  return accepted;
}

const wrongPassword = () =>
  invalidField('password', 'There is an account of this email, and this is not its password', 'password.wrong');
