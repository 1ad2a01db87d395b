import type { Request, Response } from 'express';
import { AppError } from '../../src/errors.ts';
import type { Caller } from '../../src/organizations/caller.ts';
import { noOrganization } from '../../src/organizations/caller.ts';
import type { Deps, Endpoint } from '../endpoint.ts';
import { isAllowedOrigin } from './origin.ts';
import { isSecure, sessionCookie, sessionTokenOf } from './session-cookie.ts';

type Needed = Exclude<Endpoint['scope'], 'public'>;
const schemes = 'ApiKey realm="kanal", Bearer realm="kanal"';
const whatIt = { key: 'The API key', token: 'The bearer token', session: 'Your role' };

/** Who calls, and whether the endpoint is theirs: before anything of the body is read. A credential that is sent must be right. */
export function authenticated({ authenticate, config }: Deps, needed: Needed) {
  async function callerOf(req: Request, res: Response): Promise<Caller> {
    const { 'x-api-key': key, authorization, cookie } = req.headers;
    if (typeof key === 'string' && key !== '') return (await authenticate.key(key)) ?? refused(res, 'The API key is not valid');
    if (authorization) {
      const [, token] = /^Bearer +(\S+) *$/i.exec(authorization) ?? [];
      if (!token) refused(res, 'The header Authorization must be: Bearer, and a token');
      if (token.startsWith('kk_')) refused(res, 'An API key is sent in the header X-Api-Key');
      return (await authenticate.token(token)) ?? refused(res, 'The bearer token is not valid', ', error="invalid_token"');
    }
    const token = sessionTokenOf(cookie);
    if (!token) return refused(res, 'A credential is needed: X-Api-Key, or Authorization: Bearer');
    const session = await authenticate.session(token);
    if (!session) return refused(res, 'The session has ended: log in again');
    if (session.isExtended) res.setHeader('Set-Cookie', sessionCookie(token, isSecure(req, config)));
    return session.caller;
  }

  return async (req: Request, res: Response): Promise<void> => {
    const caller = await callerOf(req, res);
    res.locals.caller = caller;
    if (caller.by === 'session' && req.method !== 'GET' && req.method !== 'HEAD' && !isAllowedOrigin(req, config))
      throw new AppError(
        'origin_not_allowed',
        'A session cookie alone changes nothing from here: the Origin is not an allowed one',
      );
    if (!isAllowed(caller, needed)) throw refusal(caller, needed);
  };
}

function refused(res: Response, message: string, more = ''): never {
  res.setHeader('WWW-Authenticate', schemes + more);
  throw new AppError('unauthorized', message);
}

/** A credential may end between the look at it and the work: that 401 names the schemes too. */
export function challenge(res: Response): void {
  if (!res.hasHeader('WWW-Authenticate')) res.setHeader('WWW-Authenticate', schemes);
}

function isAllowed(caller: Caller, needed: Needed): boolean {
  if (needed === 'session') return caller.by === 'session';
  if (needed === 'user') return caller.by !== 'key';
  return caller.scopes.has(needed);
}

function refusal({ by, organizationId, role }: Caller, needed: Needed): AppError {
  if (needed === 'session')
    return new AppError('session_required', 'Only a person who has logged in can do this: the session cookie');
  if (needed === 'user') return new AppError('session_required', 'Only a person can do this: a session, or a bearer token');
  if (organizationId === noOrganization) return new AppError('forbidden', `No organization is active: ${needed} is needed`);
  const who = by === 'session' ? `${whatIt.session} (${role})` : whatIt[by];
  return new AppError('forbidden', `${who} lacks the scope ${needed}`);
}
