import express, { type NextFunction, type Request, type Response, Router } from 'express';
import type { State } from '../state.ts';
import { authorize } from './authorize.ts';
import type { GraphResponse } from './context.ts';
import { GraphError } from './errors.ts';
import { intake } from './intake.ts';
import { postMessage } from './messages.ts';
import { getPhoneNumber, listPhoneNumbers } from './phone-numbers.ts';
import { reply } from './reply.ts';
import { listTemplates } from './templates.ts';

export function graphRouter(state: State): Router {
  const router = Router();
  router.use(express.json({ limit: '3mb', type: () => true }), ignoreMalformedBody);
  router.use(intake(state));
  router.use(authorize(state));
  router.get('/:id', getPhoneNumber(state));
  router.get('/:id/phone_numbers', listPhoneNumbers(state));
  router.get('/:id/message_templates', listTemplates(state));
  router.post('/:id/messages', postMessage(state));
  router.use(unknownPath);
  router.use(renderError);
  return router;
}

/** Graph reads a body it cannot parse as no parameters at all, and then misses the first one. */
function ignoreMalformedBody(_error: unknown, req: Request, _res: Response, next: NextFunction): void {
  req.body = undefined;
  next();
}

function unknownPath(req: Request): void {
  throw new GraphError(2500, { status: 400, message: `Unknown path components: ${req.path}` });
}

function renderError(error: unknown, _req: Request, res: GraphResponse, _next: NextFunction): void {
  const refusal = error instanceof GraphError ? error : new GraphError(131000, { details: String(error) });
  reply(res, refusal.status, refusal.toBody(res.locals.traceId));
}
