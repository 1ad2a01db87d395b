import { setTimeout as sleep } from 'node:timers/promises';
import type { NextFunction, Request, Response } from 'express';
import { type LoggedRequest, queryShown, withoutCredentials } from '../request-log.ts';
import type { State } from '../state.ts';

export type ServiceLocals = {
  path: string;
  entry: LoggedRequest;
  dropsAnswer: boolean;
};
export type ServiceResponse = Response<unknown, ServiceLocals & Record<string, unknown>>;

/**
 * Of a service beside Graph: logs the request and lets it meet the faults that come before any effect. `refuse` makes the service's own body
 * of a status.
 */
export function serviceIntake(state: State, refuse: (status: number, code?: number, reason?: string) => object) {
  return async (req: Request, res: ServiceResponse, next: NextFunction): Promise<void> => {
    const [path = '/', query = ''] = req.originalUrl.split('?', 2);
    const { method } = req;
    const entry: LoggedRequest = {
      at: new Date().toISOString(),
      method,
      path,
      query: queryShown(query),
      headers: withoutCredentials(req.headers),
      body: Buffer.isBuffer(req.body) ? { bytes: req.body.length } : (req.body ?? null),
      status: null,
    };
    state.log.add(entry);
    Object.assign(res.locals, { path, entry, dropsAnswer: false });

    const delay = state.faults.take('delay', method, path);
    if (delay) await sleep(delay.delay_ms);
    if (state.faults.take('drop_before', method, path)) {
      req.socket.destroy();
      return;
    }
    const refusal = state.faults.take('status', method, path);
    res.locals.dropsAnswer = state.faults.take('drop_after', method, path) !== undefined;
    if (refusal) answer(res, refusal.status, refuse(refusal.status, refusal.code, refusal.reason));
    else next();
  };
}

/** The one way a service answers: a fault may drop it, after all has been done. */
export function answer(res: ServiceResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  const { entry, dropsAnswer } = res.locals;
  if (dropsAnswer) {
    res.socket?.destroy();
    return;
  }
  entry.status = status;
  res.status(status).set(headers);
  if (body === undefined) res.end();
  else res.json(body);
}
