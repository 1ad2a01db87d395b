import cors from 'cors';
import type { RequestHandler } from 'express';
import type { Config } from '../../../src/platform/config/config.ts';

/** What a page of another origin may read of a reply beside its body. */
const exposed = [
  'Idempotent-Replayed',
  'Link',
  'Location',
  'Operation-Id',
  'Preference-Applied',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'X-Request-Id',
];

/** Lets the pages of ALLOWED_ORIGINS call the API, their session's cookie included; where none are named there is nothing to do. */
export function crossOrigin({ allowedOrigins }: Pick<Config, 'allowedOrigins'>): RequestHandler | undefined {
  if (allowedOrigins.length === 0) return undefined;
  return cors({ origin: allowedOrigins, credentials: true, exposedHeaders: exposed, maxAge: 600 });
}
