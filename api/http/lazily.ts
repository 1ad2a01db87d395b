import type { RequestHandler } from 'express';

/** A handler that is made at its first request: for what few processes are ever asked, so that no start waits for it. */
export function lazily(make: () => Promise<RequestHandler>): RequestHandler {
  let made: Promise<RequestHandler> | undefined;
  return async (req, res, next) => {
    made ??= make();
    const handle = await made;
    await handle(req, res, next);
  };
}
