import { AppError } from '../errors.ts';
import type { Tx } from '../ledger/transact.ts';
import { lockOrganization } from './organizations.ts';
import { isAbove, type Role, scopesOf } from './roles.ts';

/** Who a request comes from: a program with a key, or a person with a bearer token or a session. */
export type Caller = {
  by: 'key' | 'token' | 'session';
  /** Of the key, token or session. */
  id: string;
  /** `noOrganization` for a session that has none active: it has no scope either. */
  organizationId: string;
  /** The highest role it may give to others. */
  role: Role;
  scopes: ReadonlySet<string>;
  userId?: string;
  /** Of a token: the session it was made in. */
  sessionId?: string;
  /** When the credential itself ends; a session goes on as long as it is used. */
  expiresAt?: Date;
};

/** Nobody's: a read finds nothing there, and the database refuses a write. */
export const noOrganization = '00000000-0000-0000-0000-000000000000';

/** As records and the audit log name who did something. */
export const actorOf = ({ by, id, userId }: Caller) => (by === 'key' ? `key:${id}` : `user:${userId}`);

/** Nobody grants what he lacks. Throws 403 naming the first scope that is missing. */
export function mustHave(caller: Caller, scopes: Iterable<string>): void {
  for (const scope of scopes)
    if (!caller.scopes.has(scope)) throw new AppError('forbidden', `You cannot grant the scope ${scope}: you do not have it`);
}

export function mustNotBeBelow(caller: Caller, role: Role): void {
  if (isAbove(role, caller.role)) throw new AppError('forbidden', `The role ${role} is above yours (${caller.role})`);
}

/** A role may be given, changed or taken away by those who are not below it and have all it brings. */
export function mustReach(caller: Caller, role: Role): void {
  mustNotBeBelow(caller, role);
  mustHave(caller, scopesOf[role]);
}

/** What a credential makes does not outlive it. */
export function mustOutlive(caller: Caller, expiresAt: Date | null): void {
  if (!caller.expiresAt || (expiresAt && expiresAt <= caller.expiresAt)) return;
  throw new AppError('forbidden', `It would outlive what it is made with: give it an end by ${caller.expiresAt.toISOString()}`);
}

const standing: Record<Caller['by'], string> = {
  key: `select role from api_keys where organization_id = $1 and id = $2 and revoked_at is null and (expires_at is null or expires_at > clock_timestamp())
    for no key update`,
  token: `select m.role from bearer_tokens t join memberships m on m.organization_id = t.organization_id and m.user_id = t.user_id
    where t.organization_id = $1 and t.id = $2 and t.expires_at > clock_timestamp() for no key update of t`,
  session: `select m.role from sessions s join memberships m on m.user_id = s.user_id and m.organization_id = $1
    where s.id = $2 and s.expires_at > clock_timestamp() for no key update of s`,
};

/**
 * Locks the organization for who grants something in it, and looks again whether he still may: what a process remembers of a credential is
 * up to 5 s old, but what is granted stays. Throws 401 when it has ended, 403 when its role was lowered.
 */
export async function lockFor(tx: Tx, { by, id, organizationId, role }: Caller): Promise<void> {
  await lockOrganization(tx.em, organizationId);
  const [now] = await tx.query<{ role: Role }>(standing[by], [organizationId, id]);
  if (!now) throw new AppError('unauthorized', 'The credential has just ended');
  if (isAbove(role, now.role)) throw new AppError('forbidden', `Your role has just become ${now.role}`);
}
