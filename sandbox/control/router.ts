import express, { type NextFunction, type Request, type Response, Router } from 'express';
import Joi from 'joi';
import { accountSchema } from '../account-schema.ts';
import { behaviourSchema } from '../behaviour.ts';
import { faultSchema } from '../faults.ts';
import type { State } from '../state.ts';
import { ControlError, check } from './check.ts';
import { giveCode } from './codes.ts';
import { ownCallersOnly } from './guard.ts';
import { receiveInbound } from './inbound.ts';
import { changeNumber } from './numbers.ts';
import { sendRawWebhook } from './raw-webhook.ts';
import { statsOf } from './stats.ts';
import { subscribe } from './subscription.ts';
import { changeTemplate } from './templates.ts';

const requestsQuery = Joi.object<{ path?: string; method?: string }>({
  path: Joi.string().allow(''),
  method: Joi.string().uppercase(),
});

const messagesQuery = Joi.object<{ callback_data?: string }>({ callback_data: Joi.string() });

/** The side of the sandbox that tests and demos control; no provider has it. */
export function controlRouter(state: State, allowedHosts: readonly string[]): Router {
  const router = Router();
  router.use(ownCallersOnly(allowedHosts));
  router.post('/webhook', express.raw({ type: () => true, limit: '10mb' }), async (req, res) => {
    res.json(await sendRawWebhook(state, req.body, req.query.signature ?? req.headers['x-sandbox-signature']));
  });
  router.use(express.json({ type: () => true, limit: '50mb' }));
  router.get('/requests', (req, res) => {
    res.json({ requests: state.log.find(check(requestsQuery, req.query)) });
  });
  router.get('/messages', (req, res) => {
    res.json({ messages: state.accepted.find(check(messagesQuery, req.query).callback_data) });
  });
  router.get('/stats', (_req, res) => void res.json(statsOf(state)));
  router.get('/behaviour', (_req, res) => void res.json(state.behaviour));
  router.post('/behaviour', (req, res) => void res.json(Object.assign(state.behaviour, check(behaviourSchema, req.body))));
  router.get('/faults', (_req, res) => void res.json({ faults: state.faults.all() }));
  router.post('/faults', (req, res) => {
    state.faults.add(check(faultSchema, req.body));
    res.json({ faults: state.faults.all() });
  });
  router.get('/accounts', (_req, res) => void res.json({ accounts: state.accounts.all() }));
  router.post('/accounts', (req, res) => {
    const account = check(accountSchema, req.body);
    state.accounts.put(account);
    res.json(account);
  });
  router.post('/codes', (req, res) => void res.json(giveCode(state, req.body)));
  router.post('/numbers', (req, res) => void res.json(changeNumber(state, req.body)));
  router.post('/templates', (req, res) => void res.json(changeTemplate(state, req.body)));
  router.get('/subscription', (_req, res) => void res.json(state.subscription));
  router.post('/subscription', async (req, res) => void res.json(await subscribe(state, req.body)));
  router.post('/inbound', (req, res) => void res.json(receiveInbound(state, req.body)));
  router.delete('/', async (_req, res) => {
    await state.reset();
    res.json({ reset: true });
  });
  router.use((req) => {
    throw new ControlError(404, `there is no ${req.method} ${req.originalUrl}`);
  });
  router.use(renderError);
  return router;
}

function renderError(error: unknown, _req: Request, res: Response, _next: NextFunction): void {
  const isKnown = error instanceof ControlError;
  const isUnreadable = !isKnown && error instanceof SyntaxError;
  const message = error instanceof Error ? error.message : String(error);
  res.status(isKnown ? error.status : isUnreadable ? 422 : 500);
  res.json({ error: { message, details: isKnown ? error.details : [] } });
}
