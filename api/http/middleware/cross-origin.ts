import cors from 'cors';
import type { RequestHandler } from 'express';
import type { Config } from '../../../src/platform/config/config.ts';

/** Reply headers that a page of another origin may read. */
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

/** Lets pages of ALLOWED_ORIGINS call the API with their session's cookie. */
export function crossOrigin({ allowedOrigins }: Pick<Config, 'allowedOrigins'>): RequestHandler | undefined {
  if (allowedOrigins.length === 0) return undefined;
  return cors({ origin: allowedOrigins, credentials: true, exposedHeaders: exposed, maxAge: 600 });
}
