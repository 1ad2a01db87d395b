import type { Request } from 'express';
import type { Config } from '../../src/config.ts';

/**
 * Whether a page of this very host asks. A browser sends cookies and credentials by itself, so a page elsewhere could make it ask; what it
 * says of the page cannot be forged by one.
 */
export function isSameOrigin(req: Request): boolean {
  const site = req.get('sec-fetch-site');
  if (site !== undefined) return site === 'same-origin';
  const origin = req.get('origin');
  return origin !== undefined && URL.canParse(origin) && new URL(origin).host === req.host;
}

/** Whether the page that asks may change state with a cookie alone: one of ours, or one that configuration names. */
export function isAllowedOrigin(
  req: Request,
  { publicUrl, allowedOrigins }: Pick<Config, 'publicUrl' | 'allowedOrigins'>,
): boolean {
  const origin = req.get('origin');
  if (origin !== undefined && (allowedOrigins.includes(origin) || (publicUrl && new URL(publicUrl).origin === origin)))
    return true;
  return isSameOrigin(req);
}
