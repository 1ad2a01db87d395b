import Joi from 'joi';
import { orderLock } from '../../src/commerce/orders/order-row.ts';
import { changeOrder } from '../../src/commerce/orders/order-tx.ts';
import { refundStatuses } from '../../src/commerce/payments/payment.entity.ts';
import { askForRefund, type RefundRequest } from '../../src/commerce/payments/refund.ts';
import { findRefund, getRefund, listRefunds, type RefundRow } from '../../src/commerce/payments/refund-row.ts';
import { type FoundRefund, settleByHand } from '../../src/commerce/payments/settle-refund.ts';
import { actorOf } from '../../src/organizations/caller.ts';
import { exampleIdOf, exampleIds, exampleTime } from '../../src/platform/examples.ts';
import { endpoint, ok } from '../http/endpoint.ts';
import { listed, listOf, type PageQuery, pageQuery } from '../http/paging.ts';
import { id, iso, operationNote, timestamp } from '../http/schemas.ts';
import { view } from '../http/view.ts';
import { amountGiven } from './payments.ts';
import { failureSchema } from './shipping-quotes.ts';

const refundView = view(
  'refund',
  Joi.object({
    id: id.required().description('The key of the refund at the provider too'),
    order_id: id.required(),
    payment_id: id.required(),
    connection_id: id
      .allow(null)
      .required()
      .description('null: it was given back by hand, as that of a payment that was recorded by hand'),
    status: Joi.string()
      .valid(...refundStatuses)
      .required()
      .description('Some banks take days until it succeeded'),
    amount: Joi.number().integer().required().description('In minor units'),
    currency: Joi.string().required(),
    reason: Joi.string().allow('').required(),
    provider_refund_id: Joi.string().allow(null).required(),
    failure: failureSchema.description(
      'Why it failed; of one that is `pending`: the provider did not answer, and may have given the money back. When its connection was deleted, `settle` it by hand',
    ),
    actor: Joi.string().required().description('Who asked for it: `user:<id>`, `key:<id>`'),
    created_at: timestamp.required(),
    updated_at: timestamp.required(),
  }),
  {
    id: exampleIdOf('refund'),
    order_id: exampleIdOf('order'),
    payment_id: exampleIdOf('payment'),
    connection_id: exampleIdOf('connection'),
    status: 'succeeded',
    amount: 50_000,
    currency: 'USD',
    reason: 'One item was broken',
    provider_refund_id: 're_1a2b3c',
    failure: null,
    actor: `key:${exampleIds.apiKey}`,
    created_at: exampleTime,
    updated_at: exampleTime,
  },
);

const toView = ({ asked_at: _, ...refund }: RefundRow) => ({
  ...refund,
  amount: Number(refund.amount),
  created_at: iso(refund.created_at),
  updated_at: iso(refund.updated_at),
});

const path = '/v1/commerce/orders/:orderID/refunds';
const about = { tag: 'Commerce', subject: 'Order' } as const;

export const createOneRefund = endpoint({
  ...about,
  method: 'post',
  path,
  operationId: 'commerce.refunds.create',
  scope: 'payments:write',
  audit: 'order',
  summary: 'Give money back',
  description: `Of one payment: the one named, else the newest that has as much left. 422 above what was paid and not given back yet. The provider is asked under the refund's id, so that a lost answer gives nothing back twice; a payment that was recorded by hand is given back by hand, and its refund has succeeded at once. An order of which surplus is given back stays \`paid\`. ${operationNote}`,
  isOperation: true,
  isIdempotent: true,
  body: Joi.object<RefundRequest>({
    payment_id: id,
    amount: amountGiven.description('In minor units; absent: all that is left of the payment'),
    reason: Joi.string().trim().allow('').max(500),
    by_hand: Joi.boolean().description(
      'Of a payment whose connection was deleted, or that was recorded by hand: you gave the money back. While the provider can be asked it is a 409',
    ),
  }),
  responses: { 201: refundView },
  errors: [409],
  example: { body: { amount: 50_000, reason: 'One item was broken' } },
  handler: ({ params: { orderID }, body, caller, write }) =>
    write({ locks: [orderLock(orderID)] }, async ({ own }) => {
      let made: { refundId: string; operationId?: string } = { refundId: '' };
      await changeOrder(own, { id: orderID, actor: actorOf(caller) }, async (order) => {
        made = await askForRefund(order, body ?? {});
      });
      const { refundId, operationId } = made;
      return { status: 201, body: toView((await findRefund(own, refundId))!), ...(operationId && { operationId }) };
    }),
  outcome: async ({ own }, _deps, reply) => ({
    ...reply,
    body: toView((await findRefund(own, (reply.body as { id: string }).id))!),
  }),
});

export const settleOneRefund = endpoint({
  ...about,
  subject: 'Refund',
  method: 'post',
  path: `${path}/:refundID/settle`,
  operationId: 'commerce.refunds.settle',
  scope: 'payments:write',
  audit: 'refund',
  summary: 'Say what became of a refund that nobody can be asked about',
  description:
    'Of one that is `pending` and whose connection was deleted before the provider answered: look at the provider, then say what you found there. `failed`: nothing was given back, so that the money can be given back otherwise. Said already, it stays as it is. 409 while the connection is there, whose answer decides, and for a refund that has ended otherwise.',
  errors: [409],
  body: Joi.object<{ status: FoundRefund }>({
    status: Joi.string().valid('succeeded', 'failed').required().description('What stands at the provider'),
  }),
  responses: { 200: refundView },
  example: { body: { status: 'succeeded' } },
  handler: ({ params: { orderID, refundID }, body, caller, write }) =>
    write({ locks: [orderLock(orderID)] }, async ({ own }) => {
      await changeOrder(own, { id: orderID, actor: actorOf(caller) }, (order) => settleByHand(order, refundID, body.status));
      return ok(toView(await getRefund(own, orderID, refundID)));
    }),
});

export const listOfRefunds = endpoint({
  ...about,
  method: 'get',
  path,
  operationId: 'commerce.refunds.list',
  scope: 'commerce:read',
  summary: "List an order's refunds, newest first",
  query: Joi.object<PageQuery>(pageQuery),
  responses: { 200: listOf(refundView) },
  handler: ({ params: { orderID }, query, own }) =>
    listed('refunds', { orderID }, query, (page) => listRefunds(own, orderID, page), toView),
});

export const getOneRefund = endpoint({
  ...about,
  subject: 'Refund',
  method: 'get',
  path: `${path}/:refundID`,
  operationId: 'commerce.refunds.get',
  scope: 'commerce:read',
  summary: 'Get a refund',
  responses: { 200: refundView },
  handler: async ({ params, own }) => ok(toView(await getRefund(own, params.orderID, params.refundID))),
});
