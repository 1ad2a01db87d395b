import type { Request, Response } from 'express';
import type { Awaitable, Charge } from '../../../src/accounts/authenticate.ts';
import type { Caller } from '../../../src/organizations/caller.ts';
import { noOrganization } from '../../../src/organizations/caller.ts';
import { scopesOf } from '../../../src/organizations/roles.ts';
import type { Scope } from '../../../src/organizations/scopes.ts';
import { AppError } from '../../../src/platform/errors.ts';
import type { Deps, Endpoint } from '../endpoint.ts';
import { isAllowedOrigin } from './origin.ts';
import { lookUpCharge } from './rate-limit.ts';
import { isSecure, sessionCookie, sessionTokenOf } from './session-cookie.ts';

type Needed = Exclude<Endpoint['scope'], 'public'>;
const schemes = 'ApiKey realm="kanal", Bearer realm="kanal"';
const whatIt = { key: 'The API key', token: 'The bearer token', session: 'Your role' };

/** Runs before the body is read. A credential that is sent must be valid. */
export function authenticated({ authenticate, config, limits }: Deps, needed: Needed, others: Scope[] = []) {
  const ofAddress = lookUpCharge(limits);

  function callerOf(req: Request, res: Response): Awaitable<Caller> {
    const charge = ofAddress && (() => ofAddress(req, res));
    const { 'x-api-key': key, authorization, cookie } = req.headers;
    if (typeof key === 'string' && key !== '') {
      const hint = key.startsWith('kt_') ? ': a bearer token is sent as Authorization: Bearer' : '';
      return orRefused(authenticate.key(key, charge), res, `The API key is not valid${hint}`);
    }
    if (authorization) {
      const [, token] = /^Bearer +(\S+) *$/i.exec(authorization) ?? [];
      if (!token) refused(res, 'The header Authorization must be: Bearer, and a token');
      if (token.startsWith('kk_')) refused(res, 'An API key is sent in the header X-Api-Key');
      return orRefused(authenticate.token(token, charge), res, 'The bearer token is not valid', ', error="invalid_token"');
    }
    const token = cookie && sessionTokenOf(cookie, isSecure(req, config));
    if (!token) refused(res, 'A credential is needed: X-Api-Key, Authorization: Bearer, or the cookie of a session');
    return ofSession(token, req, res, charge);
  }

  async function ofSession(token: string, req: Request, res: Response, charge?: Charge): Promise<Caller> {
    const session = await authenticate.session(token, charge);
    if (!session) return refused(res, 'The session has ended: log in again');
    if (session.isExtended) res.setHeader('Set-Cookie', sessionCookie(token, isSecure(req, config)));
    return session.caller;
  }

  function admit(caller: Caller, req: Request, res: Response): void {
    res.locals.caller = caller;
    if (caller.by === 'session' && req.method !== 'GET' && req.method !== 'HEAD' && !isAllowedOrigin(req, config))
      throw new AppError('origin_not_allowed', originNeeded);
    if (!isAllowed(caller, needed) && !others.some((scope) => caller.scopes.has(scope))) throw refusal(caller, needed);
  }

  return (req: Request, res: Response): void | Promise<void> => {
    const caller = callerOf(req, res);
    return caller instanceof Promise ? caller.then((known) => admit(known, req, res)) : admit(caller, req, res);
  };
}

const originNeeded =
  'A session cookie alone changes nothing from elsewhere: the header Origin must be the scheme and host of this API, or one of ALLOWED_ORIGINS';

const orRefused = (found: Awaitable<Caller | undefined>, res: Response, ...why: [string, string?]): Awaitable<Caller> =>
  found instanceof Promise ? found.then((caller) => caller ?? refused(res, ...why)) : (found ?? refused(res, ...why));

function refused(res: Response, message: string, more = ''): never {
  res.setHeader('WWW-Authenticate', schemes + more);
  throw new AppError('unauthorized', message);
}

/** The credential may end before the work is done: that 401 names the schemes too. */
export function challenge(res: Response): void {
  if (!res.hasHeader('WWW-Authenticate')) res.setHeader('WWW-Authenticate', schemes);
}

/** The first scope that the person's role has and this credential lacks. */
const lackedBy = ({ role, scopes }: Caller) => [...scopesOf[role]].find((scope) => !scopes.has(scope));

function isAllowed(caller: Caller, needed: Needed): boolean {
  if (needed === 'session') return caller.by === 'session';
  if (needed === 'user') return caller.by !== 'key';
  if (needed === 'account') return caller.by === 'session' || (caller.by === 'token' && lackedBy(caller) === undefined);
  return caller.scopes.has(needed);
}

/** The 403, naming what is needed. */
export function refusal(caller: Caller, needed: Needed): AppError {
  const { by, organizationId, role } = caller;
  if (needed === 'session')
    return new AppError('session_required', 'Only a person who has logged in can do this: the session cookie');
  if (needed === 'account' && by === 'token')
    return new AppError(
      'forbidden',
      `The bearer token lacks the scope ${lackedBy(caller)}: only one with all scopes of your role changes your account`,
    );
  if (needed === 'user' || needed === 'account')
    return new AppError('session_required', 'Only a person can do this: a session, or a bearer token');
  if (organizationId === noOrganization) return new AppError('forbidden', `No organization is active: ${needed} is needed`);
  const who = by === 'session' ? `${whatIt.session} (${role})` : whatIt[by];
  return new AppError('forbidden', `${who} lacks the scope ${needed}`);
}
