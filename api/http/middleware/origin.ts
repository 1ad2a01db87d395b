import type { Request } from 'express';
import type { Config } from '../../../src/platform/config/config.ts';
import { isSecure } from './session-cookie.ts';

/** Browsers set these headers; a page cannot forge them. `isTls`: the host is used by TLS, so a plain-HTTP page is not ours. */
export function isSameOrigin(req: Request, isTls: boolean): boolean {
  const site = req.get('sec-fetch-site');
  if (site !== undefined) return site === 'same-origin';
  const origin = URL.parse(req.get('origin') ?? '');
  return origin !== null && origin.host === req.host && (origin.protocol === 'https:' || (origin.protocol === 'http:' && !isTls));
}

/** Whether the page may change state with only a cookie: our own pages, and those of configured origins. */
export function isAllowedOrigin(req: Request, config: Pick<Config, 'publicUrl' | 'allowedOrigins'>): boolean {
  const { publicUrl, allowedOrigins } = config;
  const origin = req.get('origin');
  if (origin !== undefined && (allowedOrigins.includes(origin) || (publicUrl && new URL(publicUrl).origin === origin)))
    return true;
  return isSameOrigin(req, isSecure(req, config));
}
