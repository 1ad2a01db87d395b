import Joi from 'joi';
import { getOrder, orderLock } from '../../src/commerce/orders/order-row.ts';
import { changeOrder } from '../../src/commerce/orders/order-tx.ts';
import { askForSession, type SessionRequest } from '../../src/commerce/payments/ask-session.ts';
import { paymentSessionStatuses } from '../../src/commerce/payments/payment.entity.ts';
import { currentSession, getSession, listSessions, type SessionRow } from '../../src/commerce/payments/session-row.ts';
import { actorOf } from '../../src/organizations/caller.ts';
import { exampleIdOf, exampleTime } from '../../src/platform/examples.ts';
import { paymentProviders } from '../../src/providers/payment/provider.ts';
import { endpoint, ok } from '../http/endpoint.ts';
import { listed, listOf, type PageQuery, pageQuery } from '../http/paging.ts';
import { id, iso, operationNote, timestamp } from '../http/schemas.ts';
import { view } from '../http/view.ts';
import { assertReturnUrls } from './return-urls.ts';
import { failureSchema } from './shipping-quotes.ts';

const told = (what: string) => Joi.string().allow('').required().description(what);

const sessionView = view(
  'payment_session',
  Joi.object({
    id: id.required(),
    order_id: id.required(),
    connection_id: id.required(),
    status: Joi.string()
      .valid(...paymentSessionStatuses)
      .required()
      .description(
        'creating: the provider is asked for its page; open: it can be paid; unknown: no answer came whether there is a page, and another session takes its place; completed: money came; failed, expired, cancelled',
      ),
    amount: Joi.number().integer().required().description('What the order owed when it was asked for, in minor units'),
    currency: Joi.string().required().description('ISO 4217'),
    provider: Joi.string()
      .valid(...paymentProviders)
      .required(),
    provider_session_id: Joi.string().allow(null).required().description("The provider's id of it; null: not known yet"),
    reference_id: Joi.string().required().description('Our id of it at the provider'),
    payment_method: told("The provider's word for how it was paid; empty: not yet"),
    checkout_url: Joi.string()
      .allow(null)
      .required()
      .description('The page to send the customer to; null while no page exists: wait for the status `open`'),
    success_url: told('Where the customer comes back to'),
    cancel_url: told('Where a customer comes back to who does not pay'),
    failure: failureSchema.description('Why the provider made no page'),
    expires_at: timestamp.required(),
    created_at: timestamp.required(),
    updated_at: timestamp.required(),
  }),
  {
    id: exampleIdOf('payment_session'),
    order_id: exampleIdOf('order'),
    connection_id: exampleIdOf('connection'),
    status: 'creating',
    amount: 150_000,
    currency: 'USD',
    provider: 'stripe',
    provider_session_id: null,
    reference_id: exampleIdOf('payment_session'),
    payment_method: '',
    checkout_url: null,
    success_url: 'https://shop.example/thanks',
    cancel_url: 'https://shop.example/basket',
    failure: null,
    expires_at: '2026-11-21T11:00:00.000Z',
    created_at: exampleTime,
    updated_at: exampleTime,
  },
);

const toView = ({ is_unwanted: _, asked_at: _1, checked_at: _2, checks: _3, ...session }: SessionRow) => ({
  ...session,
  amount: Number(session.amount),
  checkout_url: session.checkout_url || null,
  expires_at: iso(session.expires_at),
  created_at: iso(session.created_at),
  updated_at: iso(session.updated_at),
});

const path = '/v1/commerce/orders/:orderID/payment-sessions';
const about = { tag: 'Commerce', subject: 'Order' } as const;

const address = (what: string) => Joi.string().max(2_048).description(what);

/** A provider takes half an hour to a day: five minutes on both sides are for answers that are late. */
const expiresIn = { least: 2_100, most: 86_100, usual: 3_600 };

export const createPaymentSession = endpoint({
  ...about,
  method: 'post',
  path,
  operationId: 'commerce.payment-sessions.create',
  scope: 'commerce:write',
  audit: 'order',
  summary: 'Ask for a page on which the customer pays',
  description: `For what is still owed. An order has one live session: asked again while the same amount is owed it is the same one; else the old one is ended at the provider first. 409 for an order that is paid or cancelled; 422 where the provider cannot express the amount exactly. The order is paid when the provider says so, by webhook or when it is looked at, not when the customer comes back. Without \`Prefer\` the reply usually comes before the provider's: its status is \`creating\` and its \`checkout_url\` null. Request with \`Prefer: wait=10\`, or read the session until it is \`open\`, before you forward the link. ${operationNote}`,
  isOperation: true,
  isIdempotent: true,
  body: Joi.object<Partial<SessionRequest>>({
    connection_id: id.description('A payment connection; absent: the default one'),
    success_url: address("Where the customer comes back to; absent: the connection's, else the installation's address"),
    cancel_url: address('Where a customer comes back to who does not pay; absent: `success_url`'),
    expires_in: Joi.number()
      .integer()
      .strict()
      .min(expiresIn.least)
      .max(expiresIn.most)
      .default(expiresIn.usual)
      .description('Seconds until the page ends'),
  }),
  responses: { 200: sessionView },
  errors: [409],
  example: { body: { success_url: 'https://shop.example/thanks', cancel_url: 'https://shop.example/basket' } },
  handler({ params: { orderID }, body, caller, write }, { config }) {
    const given = { expires_in: expiresIn.usual, ...body };
    assertReturnUrls(given, config);
    const home = config.appUrl ?? config.publicUrl;
    return write({ locks: [orderLock(orderID)] }, async ({ own }) => {
      let operationId: string | undefined;
      await changeOrder(own, { id: orderID, actor: actorOf(caller) }, async (order) => {
        ({ operationId } = await askForSession(order, given, home));
      });
      return { ...ok(toView(await currentSession(own, orderID))), ...(operationId && { operationId }) };
    });
  },
  outcome: async ({ params, own }) => ok(toView(await currentSession(own, params.orderID!))),
});

export const listOfPaymentSessions = endpoint({
  ...about,
  method: 'get',
  path,
  operationId: 'commerce.payment-sessions.list',
  scope: 'commerce:read',
  summary: "List an order's payment sessions, newest first",
  query: Joi.object<PageQuery>(pageQuery),
  responses: { 200: listOf(sessionView) },
  async handler({ params: { orderID }, query, own }) {
    await getOrder(own, orderID);
    return listed('payment-sessions', { orderID }, query, (page) => listSessions(own, orderID, page), toView);
  },
});

export const getPaymentSession = endpoint({
  ...about,
  subject: 'Payment session',
  method: 'get',
  path: `${path}/:sessionID`,
  operationId: 'commerce.payment-sessions.get',
  scope: 'commerce:read',
  summary: 'Get a payment session',
  responses: { 200: sessionView },
  handler: async ({ params, own }) => ok(toView(await getSession(own, params.orderID, params.sessionID))),
});
