import type { RequestHandler, Response } from 'express';
import type { Log } from '../../src/log.ts';
import type { Caller } from '../../src/organizations/keys.ts';

/** One wide line a request, when it ends. Neither query nor body: both may hold what is private. */
export const requestLog =
  (log: Log): RequestHandler =>
  (req, res, next) => {
    const startedAt = performance.now();
    const { method, path } = req;
    res.once('close', () => {
      const { operationId, caller, errorCode, cause } = res.locals as {
        operationId?: string;
        caller?: Caller;
        errorCode?: string;
        cause?: unknown;
      };
      const line = {
        request_id: res.locals.requestId,
        method,
        path: operationId ? undefined : path.slice(0, 200),
        operation: operationId,
        status: res.writableFinished ? res.statusCode : 499,
        duration_ms: Math.round((performance.now() - startedAt) * 10) / 10,
        organization_id: caller?.organizationId,
        key_id: caller?.keyId,
        address: req.ip,
        error_code: errorCode,
        ...(cause !== undefined && { err: cause }),
      };
      if (res.statusCode >= 500) log.error(line, 'request');
      else log.info(line, 'request');
    });
    next();
  };

/** The log of one request, for what its handler has to say beside the wide line. */
export const logOf = (res: Response, log: Log): Log => log.child({ request_id: res.locals.requestId });
