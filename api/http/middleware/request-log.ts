import type { Response } from 'express';
import { cut } from '../../../src/platform/cut.ts';
import type { Log } from '../../../src/platform/log.ts';
import type { Listener } from './request-end.ts';

/** A piece of a path that is longer than an id may be a token: a browser's preflight of an endpoint has no endpoint of its own. */
const withoutTokens = (path: string) => cut(path.replace(/[^/]{37,}/g, '…'), 200);

/** One wide line per request, at its end. Without query and body: both may be private. */
export const requestLog = (log: Log): Listener => ({
  ended({ requestId, method, path, operationId, status, seconds, caller, address, errorCode, cause }) {
    const line = {
      request_id: requestId,
      method,
      path: operationId ? undefined : withoutTokens(path),
      operation: operationId,
      status,
      duration_ms: Math.round(seconds * 10_000) / 10,
      organization_id: caller?.organizationId,
      key_id: caller?.by === 'key' ? caller.id : undefined,
      user_id: caller?.userId,
      address,
      error_code: errorCode,
      err: cause,
    };
    if (status >= 500) log.error(line, 'request');
    else log.info(line, 'request');
  },
});

/** For log lines of the handler beside the wide line. */
export const logOf = (res: Response, log: Log): Log => log.child({ request_id: res.locals.requestId });
