import type { Request } from 'express';

/** The full requested URL, which links to further pages repeat. */
export function requestUrl(req: Pick<Request, 'originalUrl' | 'headers'>): URL {
  return new URL(req.originalUrl, `http://${req.headers.host ?? 'localhost'}`);
}
