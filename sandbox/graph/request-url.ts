import type { Request } from 'express';

/** The whole address the client asked for, which links to further pages repeat. */
export function requestUrl(req: Pick<Request, 'originalUrl' | 'headers'>): URL {
  return new URL(req.originalUrl, `http://${req.headers.host ?? 'localhost'}`);
}
