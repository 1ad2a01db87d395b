import type { Request, RequestHandler, Response } from 'express';
import type { Caller } from '../../../src/organizations/caller.ts';
import { clientAddress } from '../client-address.ts';

/** A request that is over, as log and metrics see it. */
export type Ended = {
  requestId: string;
  method: string;
  path: string;
  /** The endpoint's; a path nobody has, and a page, have none. */
  operationId?: string;
  /** 499: the client left before its answer; 500: we broke it off. */
  status: number;
  seconds: number;
  caller?: Caller;
  address?: string;
  errorCode?: string;
  cause?: unknown;
  /** It waited for its operation because the client asked to. */
  hasWaited: boolean;
};

export type Listener = { began?(): void; ended(request: Ended): void };

/** Tells each listener of every request, once it is over; asked twice for a request it does it once. */
export const requestEnd =
  (listeners: Listener[]): RequestHandler =>
  (req, res, next) => {
    if (res.locals.isObserved) return next();
    res.locals.isObserved = true;
    const startedAt = performance.now();
    const { method, path } = req;
    for (const { began } of listeners) began?.();
    res.once('close', () => {
      const ended = endOf(req, res, method, path, (performance.now() - startedAt) / 1000);
      for (const listener of listeners) listener.ended(ended);
    });
    next();
  };

const endOf = (req: Request, res: Response, method: string, path: string, seconds: number): Ended => {
  const { requestId, operationId, caller, errorCode, cause } = res.locals;
  return {
    requestId,
    method,
    path,
    operationId,
    status: res.writableFinished ? res.statusCode : cause === undefined ? 499 : 500,
    seconds,
    caller,
    address: clientAddress(req),
    errorCode,
    cause,
    hasWaited: res.hasHeader('preference-applied'),
  };
};
