import { AppError } from '../platform/errors.ts';
import type { Tx } from '../platform/ledger/tx.ts';
import type { Caller } from './caller.ts';
import { roleBehindKey } from './makers.ts';
import { lockOrganization } from './organizations.ts';
import { isAbove, type Role, scopesOf } from './roles.ts';
import type { Scope } from './scopes.ts';

const isLive = (table: string) => `(${table}.expires_at is null or ${table}.expires_at > clock_timestamp())`;
/** Held until the transaction ends: who takes the credential or the role away comes before it or after it. */
const standings: Record<Caller['by'], string> = {
  key: `select role from api_keys k where organization_id = $1 and id = $2 and revoked_at is null and ${isLive('k')} for share`,
  token: `select m.role from bearer_tokens t join memberships m on m.organization_id = t.organization_id and m.user_id = t.user_id
    where t.organization_id = $1 and t.id = $2 and ${isLive('t')} for share`,
  session: `select m.role from sessions s join memberships m on m.organization_id = s.organization_id and m.user_id = s.user_id
    where s.organization_id = $1 and s.id = $2 and ${isLive('s')} for share`,
};

/**
 * The caller with what they may do at this moment, the organization locked. A request rests on what its process remembers of a credential for
 * some seconds; what it grants would stay. Throws 401 when the credential has ended, 403 when `needed` is theirs no more.
 */
export async function standing(tx: Tx, caller: Caller, needed?: Scope): Promise<Caller> {
  await lockOrganization(tx.em, caller.organizationId);
  const [row] = await tx.query<{ role: Role }>(standings[caller.by], [caller.organizationId, caller.id]);
  if (!row) throw new AppError('unauthorized', 'The credential has ended');
  // A key keeps its scopes and its role, but it grants no more than the person it goes back to could grant now.
  const behind = caller.by === 'key' ? await roleBehindKey(tx.em, caller.organizationId, caller.id) : row.role;
  if (!behind) throw new AppError('forbidden', 'The key grants nothing: the member who made it has left the organization');
  const brought: ReadonlySet<string> = scopesOf[behind];
  const scopes = new Set([...caller.scopes].filter((scope) => brought.has(scope)));
  if (needed && !scopes.has(needed)) {
    const whose = caller.by === 'key' ? "The role of the key's maker" : 'Your role';
    throw new AppError('forbidden', `${whose} (${behind}) lacks the scope ${needed}`);
  }
  return { ...caller, role: isAbove(row.role, behind) ? behind : row.role, scopes };
}
