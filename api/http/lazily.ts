import type { RequestHandler } from 'express';
import { madeOnce } from '../../src/platform/made-once.ts';

/** A handler that is made at its first request: for what few processes are ever asked, so that no start waits for it. */
export function lazily(make: () => Promise<RequestHandler>): RequestHandler {
  const { get } = madeOnce(make);
  return async (req, res, next) => {
    const handle = await get();
    await handle(req, res, next);
  };
}
