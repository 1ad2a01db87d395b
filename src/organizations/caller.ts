import { AppError } from '../platform/errors.ts';
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

/** The id of no organization: a read finds nothing, and the database refuses a write. */
export const noOrganization = '00000000-0000-0000-0000-000000000000';

/** As records and the audit log name who did something. */
export const actorOf = ({ by, id, userId }: Caller) => (by === 'key' ? `key:${id}` : `user:${userId}`);

/** Nobody grants a scope they do not have. Throws 403 naming the first that is missing. */
export function mustHave(caller: Caller, scopes: Iterable<string>): void {
  for (const scope of scopes)
    if (!caller.scopes.has(scope)) throw new AppError('forbidden', `You cannot grant the scope ${scope}: you do not have it`);
}

export function mustNotBeBelow(caller: Caller, role: Role): void {
  if (isAbove(role, caller.role)) throw new AppError('forbidden', `The role ${role} is above yours (${caller.role})`);
}

/** A role may be given, changed or taken away by callers who are not below it and have all its scopes. */
export function mustReach(caller: Caller, role: Role): void {
  mustNotBeBelow(caller, role);
  mustHave(caller, scopesOf[role]);
}

/** What a credential makes does not outlive it. */
export function mustOutlive(caller: Caller, expiresAt: Date | null): void {
  if (!caller.expiresAt || (expiresAt && expiresAt <= caller.expiresAt)) return;
  throw new AppError('forbidden', `It would outlive what it is made with: give it an end by ${caller.expiresAt.toISOString()}`);
}
