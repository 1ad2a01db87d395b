import { BearerToken, Session } from '../accounts/account.entity.ts';
import { inForce } from '../platform/database/in-force.ts';
import { statement } from '../platform/database/statement.ts';
import { AppError } from '../platform/errors.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';
import type { Caller } from './caller.ts';
import { roleBehindKey } from './makers.ts';
import { ApiKey, Membership } from './organization.entity.ts';
import { lockOrganization } from './organizations.ts';
import { isAbove, type Role, scopesOf } from './roles.ts';
import type { Scope } from './scopes.ts';

type Credential = { id: string };

/** Each locks what it reads until the transaction ends: taking the credential or the role away waits for it, or came before. */
const presentRole = {
  key: statement((select, { id }: Credential) =>
    select(ApiKey).select('role').where('id', '=', id).where('revoked_at', 'is', null).where(inForce('expires_at')).forShare(),
  ),
  token: statement((select, { id }: Credential) =>
    select(Membership, BearerToken)
      .innerJoin('bearer_tokens', (join) =>
        join
          .onRef('bearer_tokens.organization_id', '=', 'memberships.organization_id')
          .onRef('bearer_tokens.user_id', '=', 'memberships.user_id'),
      )
      .select('memberships.role')
      .where('bearer_tokens.id', '=', id)
      .where(inForce('bearer_tokens.expires_at'))
      .forShare(),
  ),
  session: statement((select, { id }: Credential) =>
    select(Membership, Session)
      .innerJoin('sessions', (join) =>
        join
          .onRef('sessions.organization_id', '=', 'memberships.organization_id')
          .onRef('sessions.user_id', '=', 'memberships.user_id'),
      )
      .select('memberships.role')
      .where('sessions.id', '=', id)
      .where(inForce('sessions.expires_at'))
      .forShare(),
  ),
};

/**
 * Asks the database what the caller may do now, for a write that grants something or takes it away. A process remembers a credential for some
 * seconds, and what was granted in that time would stay. Locks the organization, so that counts hold, and the credential with its role, so
 * that neither ends before the transaction does. Returns the caller with the present role and scopes; a key has no more than the person it
 * goes back to. Throws 401 when the credential has ended, 403 when the caller no longer has `needed`.
 */
export async function recheckAuthority(tx: OwnTx, caller: Caller, needed?: Scope): Promise<Caller> {
  await lockOrganization(tx);
  const [present] = await presentRole[caller.by](tx, caller);
  if (!present) throw new AppError('unauthorized', 'The credential has ended');
  const role: Role = present.role;
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
