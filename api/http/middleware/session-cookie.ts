import { parseCookie, stringifySetCookie } from 'cookie';
import type { Request } from 'express';
import { sessionSeconds } from '../../../src/accounts/sessions.ts';
import type { Config } from '../../../src/platform/config/config.ts';

const plainName = 'kanal_session';
/** Browsers accept a `__Host-` cookie only from this host by TLS: no plain page and no sibling host can replace it. */
export const secureName = `__Host-${plainName}`;
const nameOf = (secure: boolean) => (secure ? secureName : plainName);

/** Where cookies are secure the plain name is ignored: anybody may have set it. */
export function sessionTokenOf(header: string | undefined, secure: boolean): string | undefined {
  const name = nameOf(secure);
  return header?.includes(name) ? parseCookie(header)[name] : undefined;
}

/** For all paths of this host, hidden from scripts, sent from other sites only when a link is followed. */
const cookie = (value: string, maxAge: number, secure: boolean) =>
  stringifySetCookie({ name: nameOf(secure), value, path: '/', httpOnly: true, sameSite: 'lax', secure, maxAge });

export const sessionCookie = (token: string, secure: boolean) => cookie(token, sessionSeconds, secure);
export const endedCookie = (secure: boolean) => cookie('', 0, secure);

const isLocal = (host: string) => /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[?::1\]?)$/.test(host);

/** False only on localhost without TLS, where browsers keep a Secure cookie only in part. */
export function isSecure(req: Request, { publicUrl }: Pick<Config, 'publicUrl'>): boolean {
  if (req.secure || !isLocal(req.hostname ?? '')) return true;
  // Some proxies ask for us by a local name, so PUBLIC_URL must be local too.
  const own = publicUrl ? new URL(publicUrl) : undefined;
  return own !== undefined && (own.protocol === 'https:' || !isLocal(own.hostname));
}
