import Joi from 'joi';
import { orderLock } from '../../src/commerce/orders/order-row.ts';
import { changeOrder } from '../../src/commerce/orders/order-tx.ts';
import { type RecordedPayment, recordPayment } from '../../src/commerce/payments/record.ts';
import { findPayment, getPayment, listPayments, type PaymentRow } from '../../src/commerce/payments/refund-row.ts';
import { actorOf } from '../../src/organizations/caller.ts';
import { exampleIdOf, exampleIds, exampleTime } from '../../src/platform/examples.ts';
import { endpoint, ok } from '../http/endpoint.ts';
import { listed, listOf, type PageQuery, pageQuery } from '../http/paging.ts';
import { id, iso, moment, timestamp } from '../http/schemas.ts';
import { view } from '../http/view.ts';

/** What a JSON number holds exactly. */
export const amountGiven = Joi.number().integer().strict().min(1).max(Number.MAX_SAFE_INTEGER);

const paymentView = view(
  'payment',
  Joi.object({
    id: id.required(),
    order_id: id.required(),
    session_id: id.allow(null).required().description('null: it was recorded by hand'),
    connection_id: id.allow(null).required(),
    provider_payment_id: Joi.string().allow(null).required().description("The provider's id of the payment"),
    method: Joi.string().allow('').required().description('How it was paid: `cash`, `transfer`, or the word of the provider'),
    amount: Joi.number().integer().required().description('In minor units; 0: it could not be counted, and `note` says why'),
    currency: Joi.string().required().description("ISO 4217; in another than the order's it pays nothing of the order"),
    note: Joi.string().allow('').required(),
    actor: Joi.string().allow('').required().description('Who recorded it: `user:<id>`, `key:<id>`; empty: the provider'),
    received_at: timestamp.required(),
    created_at: timestamp.required(),
    updated_at: timestamp.required(),
  }),
  {
    id: exampleIdOf('payment'),
    order_id: exampleIdOf('order'),
    session_id: null,
    connection_id: null,
    provider_payment_id: null,
    method: 'cash',
    amount: 150_000,
    currency: 'USD',
    note: 'Paid at the door',
    actor: `key:${exampleIds.apiKey}`,
    received_at: exampleTime,
    created_at: exampleTime,
    updated_at: exampleTime,
  },
);

const toView = (payment: PaymentRow) => ({
  ...payment,
  amount: Number(payment.amount),
  received_at: iso(payment.received_at),
  created_at: iso(payment.created_at),
  updated_at: iso(payment.updated_at),
});

const path = '/v1/commerce/orders/:orderID/payments';
const about = { tag: 'Commerce', subject: 'Order' } as const;

export const recordOnePayment = endpoint({
  ...about,
  method: 'post',
  path,
  operationId: 'commerce.payments.create',
  scope: 'payments:write',
  audit: 'order',
  summary: 'Record money that came without a provider',
  description:
    'Cash, a transfer. It counts as every payment does: a pending order that is paid by it is confirmed, more than is owed raises `overpaid`, and money for a cancelled order `paid_after_cancel`.',
  isIdempotent: true,
  body: Joi.object<RecordedPayment>({
    amount: amountGiven.required().description("In minor units of the order's currency"),
    method: Joi.string().trim().min(1).max(50).required().description('`cash`, `transfer`, or your own word'),
    note: Joi.string().allow('').max(500),
    received_at: moment.description('Absent: now'),
  }),
  responses: { 201: paymentView },
  example: { body: { amount: 150_000, method: 'cash', note: 'Paid at the door' } },
  handler: ({ params: { orderID }, body, caller, write }) =>
    write({ locks: [orderLock(orderID)] }, async ({ own }) => {
      let paymentId = '';
      await changeOrder(own, { id: orderID, actor: actorOf(caller) }, async (order) => {
        paymentId = await recordPayment(order, body);
      });
      return { status: 201, body: toView((await findPayment(own, paymentId))!) };
    }),
});

export const listOfPayments = endpoint({
  ...about,
  method: 'get',
  path,
  operationId: 'commerce.payments.list',
  scope: 'commerce:read',
  summary: "List an order's payments, newest first",
  query: Joi.object<PageQuery>(pageQuery),
  responses: { 200: listOf(paymentView) },
  handler: ({ params: { orderID }, query, own }) =>
    listed('payments', { orderID }, query, (page) => listPayments(own, orderID, page), toView),
});

export const getOnePayment = endpoint({
  ...about,
  subject: 'Payment',
  method: 'get',
  path: `${path}/:paymentID`,
  operationId: 'commerce.payments.get',
  scope: 'commerce:read',
  summary: 'Get a payment',
  responses: { 200: paymentView },
  handler: async ({ params, own }) => ok(toView(await getPayment(own, params.orderID, params.paymentID))),
});
