import { parseCookie, stringifySetCookie } from 'cookie';
import type { Request } from 'express';
import { sessionSeconds } from '../../src/accounts/sessions.ts';
import type { Config } from '../../src/config.ts';

const name = 'kanal_session';

/** What the session's cookie holds, as the browser sent it. */
export const sessionTokenOf = (header: string | undefined): string | undefined =>
  header?.includes(name) ? parseCookie(header)[name] : undefined;

/** For every path of this host, out of reach of scripts, not sent along by other sites but when a link is followed. */
const cookie = (value: string, maxAge: number, secure: boolean) =>
  stringifySetCookie({ name, value, path: '/', httpOnly: true, sameSite: 'lax', secure, maxAge });

export const sessionCookie = (token: string, secure: boolean) => cookie(token, sessionSeconds, secure);
export const endedCookie = (secure: boolean) => cookie('', 0, secure);

/** A browser keeps a Secure cookie of localhost only in part; anywhere else it never travels in the clear. */
export function isSecure(req: Request, { publicUrl }: Pick<Config, 'publicUrl'>): boolean {
  // Whatever the host is called: some proxies ask for us by our own local name.
  if (req.secure) return true;
  const host = publicUrl ? new URL(publicUrl).hostname : (req.hostname ?? '');
  return !/^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[?::1\]?)$/.test(host);
}
