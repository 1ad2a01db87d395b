import { parseCookie, stringifySetCookie } from 'cookie';
import type { Request } from 'express';
import { sessionSeconds } from '../../../src/accounts/sessions.ts';
import type { Config } from '../../../src/platform/config/config.ts';

const plainName = 'kanal_session';
/** A browser lets only this host set a cookie so named, by TLS: no page in the clear and no sibling host can put its own in place. */
export const secureName = `__Host-${plainName}`;
const nameOf = (secure: boolean) => (secure ? secureName : plainName);

/** What the session's cookie holds, as the browser sent it. Where cookies are secure the plain name means nothing: anybody may have set it. */
export function sessionTokenOf(header: string | undefined, secure: boolean): string | undefined {
  const name = nameOf(secure);
  return header?.includes(name) ? parseCookie(header)[name] : undefined;
}

/** For every path of this host, out of reach of scripts, not sent along by other sites but when a link is followed. */
const cookie = (value: string, maxAge: number, secure: boolean) =>
  stringifySetCookie({ name: nameOf(secure), value, path: '/', httpOnly: true, sameSite: 'lax', secure, maxAge });

export const sessionCookie = (token: string, secure: boolean) => cookie(token, sessionSeconds, secure);
export const endedCookie = (secure: boolean) => cookie('', 0, secure);

const isLocal = (host: string) => /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[?::1\]?)$/.test(host);

/**
 * Not on localhost without TLS, where a browser keeps a Secure cookie only in part; anywhere else the cookie never travels in the clear. Both
 * PUBLIC_URL and the host must be local: some proxies ask for us by our own local name, and a PUBLIC_URL may be left from a trial.
 */
export function isSecure(req: Request, { publicUrl }: Pick<Config, 'publicUrl'>): boolean {
  if (req.secure || !isLocal(req.hostname ?? '')) return true;
  const own = publicUrl ? new URL(publicUrl) : undefined;
  return own !== undefined && (own.protocol === 'https:' || !isLocal(own.hostname));
}
