import type { RequestHandler } from 'express';

/** A handler that is made at its first request: for what few processes are ever asked, so that no start waits for it. */
export function lazily(make: () => Promise<RequestHandler>): RequestHandler {
  let made: Promise<RequestHandler> | undefined;
  return async (req, res, next) => {
    // A load that failed, as for want of file descriptors, is tried again by the next request.
    made ??= make().catch((error) => {
      made = undefined;
      throw error;
    });
    const handle = await made;
    await handle(req, res, next);
  };
}
