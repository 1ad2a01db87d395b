import { createHash } from 'node:crypto';
import express, { type NextFunction, type Request, Router } from 'express';
import { answer, type ServiceResponse, serviceIntake } from '../services/intake.ts';
import type { State } from '../state.ts';
import { act } from './acts.ts';
import { type PaySession, payId } from './store.ts';
import { noSuch, StripeError, stripeBody, stripeFault } from './stripe-errors.ts';
import { apiVersion, intentShown, refundShown, sessionShown } from './stripe-objects.ts';
import { sessionOf, whole } from './stripe-params.ts';

type Params = Record<string, unknown>;
type Made = { status: number; body: object };

const params = (req: Request): Params => (typeof req.body === 'object' && req.body !== null ? (req.body as Params) : {});
const expandOf = (value: unknown): string[] =>
  (Array.isArray(value) ? value : Object.values((value ?? {}) as object)).map(String);
/** `expand[0]=…`: Express reads a query flat. */
const expandIn = ({ query }: Request): string[] =>
  Object.entries(query).flatMap(([name, value]) => (/^expand(\[\d*\])?$/.test(name) ? expandOf([value].flat()) : []));
const keyOf = (res: ServiceResponse) => res.locals.key as string;

/** Stripe's Checkout with what refunds need, as far as Kanal asks it. At the root: its client takes no path. */
export function stripeRouter(state: State): Router {
  const router = Router();
  router.use(express.urlencoded({ extended: true, limit: '1mb' }));
  router.use(serviceIntake(state, stripeFault));
  router.use((req, res: ServiceResponse, next) => {
    const key = (req.headers.authorization ?? '').replace(/^Bearer /, '');
    if (!state.payments.isGood('stripe', key))
      throw new StripeError(401, { type: 'invalid_request_error', message: `Invalid API Key provided: ${key.slice(0, 8)}****` });
    res.locals.key = key;
    next();
  });

  /** A repeated key gives the first answer again, unless the parameters are others. */
  const once = (make: (req: Request, res: ServiceResponse) => Made) => (req: Request, res: ServiceResponse) => {
    const idempotencyKey = req.get('idempotency-key');
    const request = createHash('sha256')
      .update(`${req.path} ${JSON.stringify(params(req))}`)
      .digest('hex');
    const kept = idempotencyKey ? state.payments.kept(keyOf(res), idempotencyKey) : undefined;
    if (kept && kept.request !== request)
      throw new StripeError(400, {
        type: 'idempotency_error',
        message: `Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than '${idempotencyKey}' if you meant to execute a different request.`,
      });
    const made = kept ?? make(req, res);
    if (idempotencyKey && !kept) state.payments.keep(keyOf(res), idempotencyKey, { request, ...structuredClone(made) });
    answer(res, made.status, made.body, {
      'request-id': payId('req_', 7),
      'stripe-version': apiVersion,
      ...(idempotencyKey && { 'idempotency-key': idempotencyKey }),
      ...(kept && { 'idempotent-replayed': 'true' }),
    });
  };

  const sessionIn = (req: Request, res: ServiceResponse): PaySession => {
    const id = String(req.params.id);
    const session = state.payments.find(id);
    if (session?.provider !== 'stripe' || session.key !== keyOf(res)) throw noSuch('checkout.session', id, 'session');
    return session;
  };

  router.get('/account', (_req, res: ServiceResponse) =>
    answer(res, 200, {
      id: 'acct_1Sandbox',
      object: 'account',
      business_profile: { name: 'Sandbox shop' },
      charges_enabled: true,
      country: 'ID',
      default_currency: 'idr',
      settings: { dashboard: { display_name: 'Sandbox shop' } },
    }),
  );
  router.get('/balance', (_req, res: ServiceResponse) =>
    answer(res, 200, { object: 'balance', available: [{ amount: 0, currency: 'usd' }], livemode: false, pending: [] }),
  );

  router.post(
    '/checkout/sessions',
    once((req, res) => {
      const given = params(req);
      const id = payId('cs_test_', 24);
      const session: PaySession = {
        ...{ provider: 'stripe', key: keyOf(res), id, status: 'open', ...sessionOf(given), params: given },
        ...{ url: `${req.protocol}://${req.get('host')}/pay/${id}`, created: Date.now() },
        ...{ paymentId: payId('pi_'), requestId: '', payment: null, hasFailed: false },
      };
      state.payments.sessions.set(id, session);
      return { status: 200, body: sessionShown(session, expandOf(given.expand)) };
    }),
  );
  router.get('/checkout/sessions/:id', (req, res: ServiceResponse) =>
    answer(res, 200, sessionShown(sessionIn(req, res), expandIn(req))),
  );
  router.post(
    '/checkout/sessions/:id/expire',
    once((req, res) => {
      const session = sessionIn(req, res);
      if (!act(state, session, 'expire', req))
        throw new StripeError(400, {
          type: 'invalid_request_error',
          message: `Only Checkout Sessions with a status in ["open"] can be expired. This Checkout Session has a status of \`${session.status}\`.`,
        });
      return { status: 200, body: sessionShown(session, expandOf(params(req).expand)) };
    }),
  );

  router.get('/payment_intents/:id', (req, res: ServiceResponse) => {
    const session = state.payments.ofPayment(String(req.params.id));
    if (session?.provider !== 'stripe' || session.key !== keyOf(res))
      throw noSuch('payment_intent', String(req.params.id), 'intent');
    answer(res, 200, intentShown(session, true));
  });

  router.post(
    '/refunds',
    once((req, res) => ({ status: 200, body: refundShown(refundOf(state, keyOf(res), params(req))) })),
  );
  router.get('/refunds/:id', (req, res: ServiceResponse) => {
    const refund = state.payments.refunds.get(String(req.params.id));
    if (refund?.provider !== 'stripe' || refund.key !== keyOf(res)) throw noSuch('refund', String(req.params.id));
    answer(res, 200, refundShown(refund));
  });

  router.use((req) => {
    const message = `Unrecognized request URL (${req.method}: ${req.originalUrl}).`;
    throw new StripeError(404, { type: 'invalid_request_error', message });
  });
  router.use((error: unknown, _req: Request, res: ServiceResponse, _next: NextFunction) => {
    const fault = error instanceof StripeError ? error : new StripeError(500, { type: 'api_error', message: String(error) });
    answer(res, fault.status, stripeBody(fault.fault), { 'request-id': payId('req_', 7) });
  });
  return router;
}

function refundOf(state: State, key: string, given: Params) {
  const of = String(given.payment_intent ?? '');
  if (!of)
    throw new StripeError(400, {
      type: 'invalid_request_error',
      message: 'One of the following params should be provided for this request: payment_intent or charge.',
    });
  const session = state.payments.ofPayment(of);
  const payment = session?.payment;
  if (session?.provider !== 'stripe' || session.key !== key || !payment) throw noSuch('payment_intent', of, 'payment_intent');
  const left = payment.amount - payment.refunded;
  const amount = given.amount === undefined ? left : whole(given.amount, 'amount');
  if (left === 0)
    throw new StripeError(400, {
      type: 'invalid_request_error',
      code: 'charge_already_refunded',
      message: `Charge ch_${of.slice(3)} has already been refunded.`,
    });
  if (amount > left || amount < 1)
    throw new StripeError(400, {
      type: 'invalid_request_error',
      message: `Refund amount (${amount}) is greater than unrefunded amount on charge (${left})`,
      param: 'amount',
    });
  payment.refunded += amount;
  const refund = {
    ...{ provider: 'stripe' as const, key, id: payId('re_'), of, amount, currency: payment.currency, created: Date.now() },
    ...{ status: state.behaviour.refund_status, reference: '', metadata: (given.metadata ?? {}) as Params },
  };
  state.payments.refunds.set(refund.id, refund);
  return refund;
}
