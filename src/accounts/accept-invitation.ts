import { openInvitation } from '../organizations/invitations.ts';
import { addMember } from '../organizations/members.ts';
import { Invitation } from '../organizations/organization.entity.ts';
import { getOrganization, lockOrganization } from '../organizations/organizations.ts';
import type { Role } from '../organizations/roles.ts';
import { recordAct } from '../platform/audit/record.ts';
import { now } from '../platform/database/columns.ts';
import type { Database } from '../platform/database/database.ts';
import { AppError, invalidField } from '../platform/errors.ts';
import type { Transact } from '../platform/ledger/transact.ts';
import type { LoginLimits } from '../platform/rate-limits/login.ts';
import { createUser, findByEmail, isPasswordStill, verifyEmail } from '../users/users.ts';
import type { Passwords } from './password-hash.ts';
import { checkPassword } from './password-rules.ts';

type Parts = { database: Database; transact: Transact; passwords: Passwords; limits: LoginLimits };
type Request = { token: string; name?: string; password: string };
type From = { address: string; requestId: string };
export type Accepted = { organization_id: string; organization_name: string; user_id: string; role: Role };

/** An existing account needs its password: a link alone must not act for an account. Throws 422, 409 for a member, 429. */
export async function acceptInvitation(
  { database, transact, passwords, limits }: Parts,
  { token, name, password }: Request,
  { address, requestId }: From,
): Promise<Accepted> {
  await limits.work(address);
  const { email, organization_id: organizationId } = await openInvitation(database.em(), token);
  const known = await findByEmail(database.em(), email);
  if (known) await limits.attempt(email, address);
  else await checkPassword('password', password, email);
  if (!known && !name) throw invalidField('name', 'name is required: there is no account of this email yet', 'any.required');
  const hash = known ? undefined : await passwords.hash(password);
  if (known && !(await passwords.verify(known.password_hash, password).catch(limits.giveBack(email, address))))
    throw wrongPassword();
  const accepted = await transact({}, async (tx) => {
    const own = tx.of(organizationId);
    // The organization before the invitation, the same order as in inviting and removing.
    await lockOrganization(own);
    const invitation = await openInvitation(tx.em, token, { isLocked: true });
    // The password may have changed since it was verified.
    if (known && !(await isPasswordStill(tx.em, known, 'update'))) throw wrongPassword();
    const user =
      known ?? (await createUser(tx.em, { email, name: name!, passwordHash: hash!, emailVerified: invitation.is_mailed }));
    if (!user) throw new AppError('conflict', 'An account of this email was made just now: try again with its password');
    if (known && invitation.is_mailed) await verifyEmail(tx.em, known.id);
    if (!(await addMember(own, user.id, invitation.role)))
      throw new AppError('conflict', 'You are a member of this organization already');
    await own.update(Invitation, { id: invitation.id }, { accepted_at: now() });
    await recordAct(tx.em, {
      organizationId,
      actor: `user:${user.id}`,
      action: 'invitations.accept',
      subject: `invitation:${invitation.id}`,
      address,
      requestId,
      details: { role: invitation.role },
    });
    const { name: organizationName } = await getOrganization(own);
    return { organization_id: organizationId, organization_name: organizationName, user_id: user.id, role: invitation.role };
  });
  if (known) await limits.succeeded(email, address);
  return accepted;
}

const wrongPassword = () =>
  invalidField('password', 'There is an account of this email, and this is not its password', 'password.wrong');
