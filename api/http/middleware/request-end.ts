import type { Request, RequestHandler, Response } from 'express';
import type { Caller } from '../../../src/organizations/caller.ts';
import { clientAddress } from '../client-address.ts';

export type Ended = {
  requestId: string;
  method: string;
  path: string;
  /** The endpoint's; unknown paths and pages have none. */
  operationId?: string;
  /** 499: the client left before the answer; 500: we cut the connection. */
  status: number;
  seconds: number;
  caller?: Caller;
  address?: string;
  errorCode?: string;
  cause?: unknown;
  /** The client asked to wait for the operation. */
  hasWaited: boolean;
};

export type Listener = { began?(): void; ended(request: Ended): void };

/** Calls each listener once per request, at its end. Idempotent per request. */
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
