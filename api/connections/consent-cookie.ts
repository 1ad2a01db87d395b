import { parseCookie, stringifySetCookie } from 'cookie';
import { consentMinutes } from '../../src/connections/oauth.ts';

/** As the session's cookie: a `__Host-` one is this host's own, by TLS. */
const nameOf = (secure: boolean) => (secure ? '__Host-kanal_consent' : 'kanal_consent');

/** What a browser got when it began a consent. */
export const browserOf = (header: string | undefined, secure: boolean): string | undefined =>
  header?.includes(nameOf(secure)) ? parseCookie(header)[nameOf(secure)] : undefined;

/** Lax: the consent page of the provider leads back by a link. */
export const consentCookie = (browser: string, secure: boolean) =>
  stringifySetCookie({
    name: nameOf(secure),
    value: browser,
    path: '/',
    httpOnly: true,
    sameSite: 'lax',
    secure,
    maxAge: consentMinutes * 60,
  });
