import { inForce } from '../platform/database/in-force.ts';
import { statement } from '../platform/database/statement.ts';
import { AppError } from '../platform/errors.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';
import { BearerToken, Session } from '../users/user.entity.ts';
import type { Caller } from './caller.ts';
import { roleBehindKey } from './makers.ts';
import { ApiKey, Membership } from './organization.entity.ts';
import { lockOrganization } from './organizations.ts';
import { isAbove, type Role, scopesOf } from './roles.ts';
import type { Scope } from './scopes.ts';

type Credential = { id: string };

/** Each locks what it reads: neither the credential nor the role can end before the transaction does. */
const presentRole = {
  key: statement((select, { id }: Credential) =>
    select(ApiKey).select('role').where('id', '=', id).where('revoked_at', 'is', null).where(inForce('expires_at')).forShare(),
  ),
  token: statement((select, { id }: Credential) =>
    select(Membership, BearerToken)
      .innerJoin('bearer_tokens', 'bearer_tokens.user_id', 'memberships.user_id')
      .select('memberships.role')
      .where('bearer_tokens.id', '=', id)
      .where(inForce('bearer_tokens.expires_at'))
      .forShare(),
  ),
  session: statement((select, { id }: Credential) =>
    select(Membership, Session)
      .innerJoin('sessions', 'sessions.user_id', 'memberships.user_id')
      .select('memberships.role')
      .where('sessions.id', '=', id)
      .where(inForce('sessions.expires_at'))
      .forShare(),
  ),
};

/** For a write that grants or revokes: cached rights are some seconds old. Locks the organization. Throws 401, 403. */
export async function recheckAuthority(tx: OwnTx, caller: Caller, needed?: Scope): Promise<Caller> {
  await lockOrganization(tx);
  const [present] = await presentRole[caller.by](tx, caller);
  if (!present) throw new AppError('unauthorized', 'The credential has ended');
  const role: Role = present.role;
  // A key may do no more than the person behind it.
  const behind = caller.by === 'key' ? await roleBehindKey(tx, caller.id) : role;
  if (!behind) throw new AppError('forbidden', 'The key grants nothing: the member who made it has left the organization');
  const brought: ReadonlySet<string> = scopesOf[behind];
  const scopes = new Set([...caller.scopes].filter((scope) => brought.has(scope)));
  if (needed && !scopes.has(needed)) {
    const whose = caller.by === 'key' ? "The role of the key's maker" : 'Your role';
    throw new AppError('forbidden', `${whose} (${behind}) lacks the scope ${needed}`);
  }
  return { ...caller, role: isAbove(role, behind) ? behind : role, scopes };
}
