import { setTimeout as sleep } from 'node:timers/promises';
import type { NextFunction } from 'express';
import type { Fault } from '../faults.ts';
import { traceId } from '../ids.ts';
import { queryShown, withoutCredentials } from '../request-log.ts';
import type { State } from '../state.ts';
import type { GraphRequest, GraphResponse } from './context.ts';
import { GraphError } from './errors.ts';

const oldestServed = 'v23.0';

/** Logs the request, takes the version off its path and lets it meet the faults that come before any effect. */
export function intake(state: State) {
  return async (req: GraphRequest, res: GraphResponse, next: NextFunction): Promise<void> => {
    const [path = '/', query = ''] = req.originalUrl.split('?', 2);
    const version = /^\/(v\d+\.\d+)(?=\/)/.exec(path)?.[1];
    if (version) req.url = req.url.slice(version.length + 1);
    const { method } = req;
    const entry = {
      at: new Date().toISOString(),
      method,
      path,
      query: queryShown(query),
      headers: withoutCredentials(req.headers),
      body: bodyShown(req.body),
      status: null,
    };
    state.log.add(entry);
    Object.assign(res.locals, { version: version ?? oldestServed, traceId: traceId(), path, entry, dropsAnswer: false });

    const delay = state.faults.take('delay', method, path);
    if (delay) await sleep(delay.delay_ms);
    if (state.faults.take('drop_before', method, path)) {
      req.socket.destroy();
      return;
    }
    const refusal = state.faults.take('status', method, path);
    if (refusal) throw refused(refusal);
    res.locals.dropsAnswer = state.faults.take('drop_after', method, path) !== undefined;
    next();
  };
}

/** A file is kept as its size: thousands of them would fill the log. */
function bodyShown(body: unknown): unknown {
  return Buffer.isBuffer(body) ? { bytes: body.length } : (body ?? null);
}

const refused = ({ status, code = usualCode(status), subcode, message, type }: Fault) =>
  new GraphError(code, { status, ...(subcode !== undefined && { subcode }), ...(message && { message }), ...(type && { type }) });

function usualCode(status: number): number {
  if (status >= 500) return 2;
  return { 401: 190, 403: 10, 429: 4 }[status] ?? 100;
}
