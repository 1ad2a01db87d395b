import { AppError } from '../platform/errors.ts';
import { isAbove, type Role, scopesOf } from './roles.ts';

export type Caller = {
  by: 'key' | 'token' | 'session';
  id: string;
  /** `noOrganization` for a session without one; it has no scopes either. */
  organizationId: string;
  /** The highest role the caller may grant. */
  role: Role;
  scopes: ReadonlySet<string>;
  userId?: string;
  /** For a token: the session it was made in. */
  sessionId?: string;
  /** Keys and tokens only: a session is extended while it is used. */
  expiresAt?: Date;
};

/** The id of no organization: reads find nothing, and the database refuses writes. */
export const noOrganization = '00000000-0000-0000-0000-000000000000';

export const actorOf = ({ by, id, userId }: Caller) => (by === 'key' ? `key:${id}` : `user:${userId}`);

/** Callers grant only scopes they have. */
export function mustHave(caller: Caller, scopes: Iterable<string>): void {
  for (const scope of scopes)
    if (!caller.scopes.has(scope)) throw new AppError('forbidden', `You cannot grant the scope ${scope}: you do not have it`);
}

export function mustNotBeBelow(caller: Caller, role: Role): void {
  if (isAbove(role, caller.role)) throw new AppError('forbidden', `The role ${role} is above yours (${caller.role})`);
}

/** For granting, changing or removing a role. */
export function mustReach(caller: Caller, role: Role): void {
  mustNotBeBelow(caller, role);
  mustHave(caller, scopesOf[role]);
}

export function mustOutlive(caller: Caller, expiresAt: Date | null): void {
  if (!caller.expiresAt || (expiresAt && expiresAt <= caller.expiresAt)) return;
  throw new AppError('forbidden', `It would outlive what it is made with: give it an end by ${caller.expiresAt.toISOString()}`);
}
