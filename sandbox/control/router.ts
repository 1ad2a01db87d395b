import express, { type NextFunction, type Request, type Response, Router } from 'express';
import Joi from 'joi';
import { accountSchema } from '../account-schema.ts';
import { behaviourSchema } from '../behaviour.ts';
import { faultSchema } from '../faults.ts';
import { addFlowsOf } from '../flows/of-account.ts';
import type { State } from '../state.ts';
import { deleteEvent, deleteMeeting, editEvent, listEvents, listMeetings } from './calendar.ts';
import { ControlError, check } from './check.ts';
import { giveCode } from './codes.ts';
import { exchangeData } from './data-exchange.ts';
import { answerFlow } from './flow-answer.ts';
import { alert, changeStatus, editFlow, listAll, putFlow } from './flows.ts';
import { ownCallersOnly } from './guard.ts';
import { receiveInbound } from './inbound.ts';
import { changeNumber } from './numbers.ts';
import { actOnSession, listPayments, moveRefund, setPaymentAccount } from './payments.ts';
import { sendRawWebhook } from './raw-webhook.ts';
import { listShipments, moveShipment, setShipperAccount } from './shipments.ts';
import { statsOf } from './stats.ts';
import { subscribe } from './subscription.ts';
import { changeTemplate } from './templates.ts';
import { addServiceAccount, expireTokens, revokeTokens, tokensOf } from './tokens.ts';

const requestsQuery = Joi.object<{ path?: string; method?: string }>({
  path: Joi.string().allow(''),
  method: Joi.string().uppercase(),
});

/** `after`: without the first so many, for who reads on and on. */
const messagesQuery = Joi.object<{ callback_data?: string; after: number }>({
  callback_data: Joi.string(),
  after: Joi.number().integer().min(0).default(0),
});

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
    const { callback_data, after } = check(messagesQuery, req.query);
    res.json({ messages: state.accepted.find(callback_data).slice(after) });
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
    addFlowsOf(state.flows, account);
    res.json(account);
  });
  router.post('/codes', (req, res) => void res.json(giveCode(state, req.body)));
  router.post('/numbers', (req, res) => void res.json(changeNumber(state, req.body)));
  router.post('/templates', (req, res) => void res.json(changeTemplate(state, req.body)));
  router.get('/flows', (_req, res) => void res.json(listAll(state)));
  router.post('/flows', (req, res) => void res.json(putFlow(state, req.body)));
  router.post('/flows/:id/edit', (req, res) => void res.json(editFlow(state, req.params.id, req.body)));
  router.post('/flows/:id/status', (req, res) => void res.json(changeStatus(state, req.params.id, req.body)));
  router.post('/flows/:id/alert', (req, res) => void res.json(alert(state, req.params.id, req.body)));
  router.post('/flow-answer', (req, res) => void res.json(answerFlow(state, req.body)));
  router.post('/data-exchange', async (req, res) => void res.json(await exchangeData(state, req.body)));
  router.get('/shipments', (_req, res) => void res.json(listShipments(state)));
  router.post('/shipments/:id/status', (req, res) => void res.json(moveShipment(state, req.params.id, req.body)));
  router.get('/payments', (_req, res) => void res.json(listPayments(state)));
  for (const act of ['pay', 'fail', 'expire'] as const)
    router.post(`/payments/:id/${act}`, (req, res) => void res.json(actOnSession(state, req.params.id, act, req.body)));
  router.post('/refunds/:id', (req, res) => void res.json(moveRefund(state, req.params.id, req.body)));
  router.post('/payment-accounts', (req, res) => void res.json(setPaymentAccount(state, req.body)));
  router.post('/shipper-accounts', (req, res) => void res.json(setShipperAccount(state, req.body)));
  router.get('/tokens', (_req, res) => void res.json(tokensOf(state)));
  router.post('/tokens/expire', (req, res) => void res.json(expireTokens(state, req.body)));
  router.post('/tokens/revoke', (req, res) => void res.json(revokeTokens(state, req.body)));
  router.post('/tokens/service-accounts', (req, res) => void res.json(addServiceAccount(state, req.body)));
  router.get('/calendar/events', (_req, res) => void res.json(listEvents(state)));
  router.post('/calendar/events/:id/delete', (req, res) => void res.json(deleteEvent(state, req.params.id, req.body)));
  router.post('/calendar/events/:id/edit', (req, res) => void res.json(editEvent(state, req.params.id, req.body)));
  router.get('/video/meetings', (_req, res) => void res.json(listMeetings(state)));
  router.post('/video/meetings/:id/delete', (req, res) => void res.json(deleteMeeting(state, req.params.id)));
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
