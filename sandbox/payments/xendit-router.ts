import express, { type NextFunction, type Request, Router } from 'express';
import Joi from 'joi';
import { answer, type ServiceResponse, serviceIntake } from '../services/intake.ts';
import type { State } from '../state.ts';
import { type PayRefund, type PaySession, payId } from './store.ts';
import { xenditPayment, xenditRefund, xenditSession } from './xendit-objects.ts';

type Fault = { error_code: string; message: string; errors?: object[] };

class XenditError extends Error {
  readonly status: number;
  readonly fault: Fault;
  constructor(status: number, error_code: string, message: string, errors?: object[]) {
    super(message);
    this.status = status;
    this.fault = { error_code, message, ...(errors && { errors }) };
  }
}

const usual: Record<number, string> = { 401: 'INVALID_API_KEY', 403: 'REQUEST_FORBIDDEN_ERROR', 429: 'RATE_LIMIT_EXCEEDED' };
const faultBody = (status: number): Fault => ({ error_code: usual[status] ?? 'SERVER_ERROR', message: 'The request failed' });

const countries: Record<string, string> = { ID: 'IDR', MY: 'MYR', PH: 'PHP', SG: 'SGD', TH: 'THB', VN: 'VND' };
const link = Joi.string().uri({ scheme: ['http', 'https'] });

type NewSession = {
  session_type: string;
  mode: string;
  description?: string;
  customer: object;
  metadata?: object;
  reference_id: string;
  currency: string;
  country: string;
  amount: number;
  expires_at?: string;
  success_return_url?: string;
  cancel_return_url?: string;
};

const sessionSchema = Joi.object<NewSession>({
  reference_id: Joi.string().max(64).required(),
  session_type: Joi.string().valid('PAY').required(),
  mode: Joi.string().valid('PAYMENT_LINK').required(),
  amount: Joi.number().positive().precision(2).required(),
  currency: Joi.string()
    .valid(...Object.values(countries))
    .required(),
  country: Joi.string()
    .valid(...Object.keys(countries))
    .required(),
  description: Joi.string().max(1000),
  expires_at: Joi.string()
    .isoDate()
    .custom((text: string, helpers) => (Date.parse(text) > Date.now() ? text : helpers.error('date.greater'))),
  success_return_url: link,
  cancel_return_url: link,
  customer: Joi.object({
    reference_id: Joi.string().max(255).required(),
    type: Joi.string().valid('INDIVIDUAL').required(),
    email: Joi.string().email({ tlds: false }),
    mobile_number: Joi.string().pattern(/^\+\d{5,20}$/),
    individual_detail: Joi.object({ given_names: Joi.string().max(50).required(), surname: Joi.string().max(50) }).required(),
  }).required(),
  metadata: Joi.object(),
}).prefs({ convert: false });

type NewRefund = {
  reason: string;
  payment_request_id: string;
  reference_id?: string;
  currency?: string;
  amount?: number;
  metadata?: object;
};

const refundSchema = Joi.object<NewRefund>({
  payment_request_id: Joi.string().required(),
  reference_id: Joi.string().max(255),
  currency: Joi.string().length(3),
  amount: Joi.number().positive(),
  reason: Joi.string().valid('FRAUDULENT', 'DUPLICATE', 'REQUESTED_BY_CUSTOMER', 'CANCELLATION', 'OTHERS').required(),
  metadata: Joi.object(),
}).prefs({ convert: false });

function checked<T>(schema: Joi.ObjectSchema<T>, body: unknown): T {
  const { error, value } = schema.validate(body ?? {}, { abortEarly: false });
  if (!error) return value;
  const errors = error.details.map(({ path, message }) => ({ path: path.join('.'), message }));
  throw new XenditError(400, 'API_VALIDATION_ERROR', 'There is an error with the format submitted to the server.', errors);
}

const keyOf = (res: ServiceResponse) => res.locals.key as string;
const weekMs = 7 * 24 * 3_600_000;

/** Xendit's payment sessions, payments and refunds, as far as Kanal asks it. Sessions know no idempotency key. */
export function xenditRouter(state: State): Router {
  const router = Router();
  router.use(express.json({ limit: '1mb' }), ignoreMalformedBody);
  router.use(serviceIntake(state, faultBody));
  router.use((req, res: ServiceResponse, next) => {
    const [, given = ''] = /^Basic (\S+)$/.exec(req.headers.authorization ?? '') ?? [];
    const key = Buffer.from(given, 'base64').toString('utf8').replace(/:$/, '');
    if (!state.payments.isGood('xendit', key))
      throw new XenditError(401, 'INVALID_API_KEY', 'API key is not authorized for this API service');
    res.locals.key = key;
    next();
  });

  const sessionIn = (req: Request, res: ServiceResponse): PaySession => {
    const session = state.payments.find(String(req.params.id));
    if (session?.provider !== 'xendit' || session.key !== keyOf(res))
      throw new XenditError(404, 'DATA_NOT_FOUND', 'Payment session not found');
    return session;
  };

  router.get('/balance', (_req, res: ServiceResponse) => answer(res, 200, { balance: 1_000_000 }));

  router.post('/sessions', (req, res: ServiceResponse) => {
    const given = checked(sessionSchema, req.body);
    const errors = [];
    if (countries[given.country] !== given.currency) errors.push({ path: 'currency', message: 'currency is not of the country' });
    if (['IDR', 'VND'].includes(given.currency) && !Number.isInteger(given.amount))
      errors.push({ path: 'amount', message: 'amount must be a whole number' });
    if (errors.length > 0)
      throw new XenditError(400, 'API_VALIDATION_ERROR', 'There is an error with the format submitted.', errors);
    const id = payId('ps-');
    const session: PaySession = {
      ...{ provider: 'xendit', key: keyOf(res), id, status: 'open', reference: given.reference_id },
      ...{ amount: given.amount, currency: given.currency, params: { ...given } },
      ...{ successUrl: given.success_return_url ?? '', cancelUrl: given.cancel_return_url ?? '' },
      ...{ url: `${req.protocol}://${req.get('host')}/pay/${id}`, created: Date.now() },
      expiresAt: given.expires_at ? Date.parse(given.expires_at) : Date.now() + weekMs,
      ...{ paymentId: payId('py-'), requestId: payId('pr-'), payment: null, hasFailed: false },
    };
    state.payments.sessions.set(id, session);
    answer(res, 201, xenditSession(session));
  });
  router.get('/sessions/:id', (req, res: ServiceResponse) => answer(res, 200, xenditSession(sessionIn(req, res))));
  router.post('/sessions/:id/cancel', (req, res: ServiceResponse) => {
    const session = sessionIn(req, res);
    if (session.status !== 'open') throw new XenditError(400, 'SESSION_NOT_ACTIVE', `The session is ${session.status}`);
    session.status = 'canceled';
    answer(res, 200, xenditSession(session));
  });

  router.get('/v3/payments/:id', (req, res: ServiceResponse) => {
    const session = state.payments.ofPayment(String(req.params.id));
    if (session?.provider !== 'xendit' || session.key !== keyOf(res) || !(session.payment || session.hasFailed))
      throw new XenditError(404, 'DATA_NOT_FOUND', 'Payment not found');
    answer(res, 200, xenditPayment(session));
  });

  router.post('/refunds', (req, res: ServiceResponse) => {
    const given = checked(refundSchema, req.body);
    const idempotencyKey = req.get('idempotency-key');
    const request = JSON.stringify(given);
    const kept = idempotencyKey ? state.payments.kept(keyOf(res), idempotencyKey) : undefined;
    if (kept && kept.request !== request)
      throw new XenditError(409, 'IDEMPOTENCY_ERROR', 'Idempotency key was used with another body');
    const body = kept?.body ?? xenditRefund(refundOf(state, keyOf(res), given));
    if (idempotencyKey && !kept)
      state.payments.keep(keyOf(res), idempotencyKey, { request, status: 200, body: structuredClone(body) });
    answer(res, 200, body);
  });
  router.get('/refunds/:id', (req, res: ServiceResponse) => {
    const refund = state.payments.refunds.get(String(req.params.id));
    if (refund?.provider !== 'xendit' || refund.key !== keyOf(res))
      throw new XenditError(404, 'DATA_NOT_FOUND', 'Refund not found');
    answer(res, 200, xenditRefund(refund));
  });

  router.use(() => {
    throw new XenditError(404, 'NOT_FOUND', 'The requested resource was not found');
  });
  router.use((error: unknown, _req: Request, res: ServiceResponse, _next: NextFunction) => {
    const fault = error instanceof XenditError ? error : new XenditError(500, 'SERVER_ERROR', String(error));
    answer(res, fault.status, fault.fault);
  });
  return router;
}

function refundOf(state: State, key: string, given: NewRefund): PayRefund {
  const session = state.payments.ofPayment(given.payment_request_id);
  const payment = session?.payment;
  if (session?.provider !== 'xendit' || session.key !== key || !payment)
    throw new XenditError(404, 'DATA_NOT_FOUND', 'Payment request not found');
  const left = payment.amount - payment.refunded;
  const amount = given.amount ?? left;
  if (amount > left || left === 0)
    throw new XenditError(400, 'MAXIMUM_REFUND_AMOUNT_REACHED', 'The amount is more than what is left of the payment');
  payment.refunded += amount;
  const refund: PayRefund = {
    ...{ provider: 'xendit', key, id: payId('rfd-'), of: session.requestId, amount, currency: payment.currency },
    ...{ status: state.behaviour.refund_status, reference: given.reference_id ?? '', created: Date.now() },
    metadata: (given.metadata ?? {}) as Record<string, unknown>,
  };
  state.payments.refunds.set(refund.id, refund);
  return refund;
}

function ignoreMalformedBody(_error: unknown, req: Request, _res: ServiceResponse, next: NextFunction): void {
  req.body = {};
  next();
}
