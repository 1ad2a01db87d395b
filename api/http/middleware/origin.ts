import type { Request } from 'express';
import type { Config } from '../../../src/platform/config/config.ts';
import { isSecure } from './session-cookie.ts';

/**
 * Whether a page of this very host asks. A browser sends cookies and credentials by itself, so a page elsewhere could make it ask; what it
 * says of the page cannot be forged by one. `isTls`: people reach this host by TLS, so a page of it in the clear is somebody else's. A proxy may
 * end TLS without our knowledge: a page by TLS is ours in any case.
 */
export function isSameOrigin(req: Request, isTls: boolean): boolean {
  const site = req.get('sec-fetch-site');
  if (site !== undefined) return site === 'same-origin';
  const origin = URL.parse(req.get('origin') ?? '');
  return origin !== null && origin.host === req.host && (origin.protocol === 'https:' || (origin.protocol === 'http:' && !isTls));
}

/** Whether the page that asks may change state with a cookie alone: one of ours, or one that configuration names. */
export function isAllowedOrigin(req: Request, config: Pick<Config, 'publicUrl' | 'allowedOrigins'>): boolean {
  const { publicUrl, allowedOrigins } = config;
  const origin = req.get('origin');
  if (origin !== undefined && (allowedOrigins.includes(origin) || (publicUrl && new URL(publicUrl).origin === origin)))
    return true;
  return isSameOrigin(req, isSecure(req, config));
}
