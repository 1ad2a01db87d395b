import Joi from 'joi';
import { type SettledByHand, settledByHand } from '../../src/commerce/orders/attention.ts';
import { type Cancellation, cancelOrder } from '../../src/commerce/orders/cancel.ts';
import { moveOrder, type OrderMove } from '../../src/commerce/orders/moves.ts';
import { restock } from '../../src/commerce/orders/restock.ts';
import { settleAttention } from '../../src/commerce/orders/settle-attention.ts';
import { AppError } from '../../src/platform/errors.ts';
import { endpoint } from '../http/endpoint.ts';
import { withExample } from '../http/view.ts';
import { aboutOrder, changeOneOrder, orderView, revision } from './order-view.ts';

const oneMove = (move: Exclude<OrderMove, 'cancel'>, status: string, summary: string, description: string) =>
  endpoint({
    ...aboutOrder,
    method: 'post',
    path: `/v1/commerce/orders/:orderID/${move}` as const,
    operationId: `commerce.orders.${move}`,
    scope: 'commerce:write',
    summary,
    description: `${description} An order that is there already stays as it is; any other: 409 that names both states.`,
    errors: [409],
    body: Joi.object<{ revision?: number }>({ revision }),
    responses: { 200: withExample(orderView, { status, revision: 2 }) },
    example: { body: {} },
    handler: ({ params: { orderID }, body, caller, write }, { secrets }) =>
      changeOneOrder({ caller, write, secrets }, { id: orderID, revision: body?.revision }, (order) => moveOrder(order, move)),
  });

export const confirmOneOrder = oneMove(
  'confirm',
  'confirmed',
  'Confirm an order',
  'From pending, without waiting for its payment. Its stock stays reserved, its booking is confirmed, and the calendar is told.',
);
export const processOneOrder = oneMove('process', 'processing', 'Begin to process an order', 'From confirmed.');
export const shipOneOrder = oneMove(
  'ship',
  'shipped',
  'Say that an order was shipped',
  'From confirmed or processing. Its stock has left the house.',
);
export const completeOneOrder = oneMove(
  'complete',
  'completed',
  'Complete an order',
  'From shipped; from confirmed and processing too where nothing of the order is sent. A booking that has begun is completed with it.',
);

export const cancelOneOrder = endpoint({
  ...aboutOrder,
  method: 'post',
  path: '/v1/commerce/orders/:orderID/cancel',
  operationId: 'commerce.orders.cancel',
  scope: 'commerce:write',
  summary: 'Cancel an order',
  description:
    'From pending, confirmed or processing. Its stock, its discount, its slot and its booking are free again, and an open payment session is ended. With `refund`, which needs the scope `payments:write`, what was paid is given back; money that is left on the order raises `paid_after_cancel`. A cancelled order stays as it is; one that was shipped: 409.',
  errors: [409],
  body: Joi.object<Cancellation & { revision?: number }>({
    reason: Joi.string().trim().allow('').max(500),
    refund: Joi.boolean().description('Give back what was paid'),
    revision,
  }),
  responses: { 200: withExample(orderView, { status: 'cancelled', reserved_until: null, revision: 2 }) },
  example: { body: { reason: 'The customer changed their mind' } },
  handler({ params: { orderID }, body, caller, write }, { secrets }) {
    const { revision: seen, ...cancellation } = body ?? {};
    if (cancellation.refund && !caller.scopes.has('payments:write'))
      throw new AppError('forbidden', 'A refund needs the scope payments:write');
    return changeOneOrder({ caller, write, secrets }, { id: orderID, revision: seen }, (order) =>
      cancelOrder(order, cancellation),
    );
  },
});

export const restockOneOrder = endpoint({
  ...aboutOrder,
  method: 'post',
  path: '/v1/commerce/orders/:orderID/restock',
  operationId: 'commerce.orders.restock',
  scope: 'commerce:write',
  summary: 'Say that what an order had taken is back',
  description:
    'The parcel came back, or the customer brought it: all pieces that had left the house can be sold again, and the order is not sent again. Its status and its money stay as they are. Once: asked again, the order stays as it is. While nothing has left, or a parcel is on its way there: 409. For a part of it change the stock of the variants.',
  errors: [409],
  body: Joi.object<{ revision?: number }>({ revision }),
  responses: { 200: withExample(orderView, { status: 'completed', fulfillment_status: 'returned', revision: 6 }) },
  example: { body: {} },
  handler: ({ params: { orderID }, body, caller, write }, { secrets }) =>
    changeOneOrder({ caller, write, secrets }, { id: orderID, revision: body?.revision }, restock),
});

export const settleOneOrder = endpoint({
  ...aboutOrder,
  method: 'post',
  path: '/v1/commerce/orders/:orderID/settle',
  operationId: 'commerce.orders.settle',
  scope: 'commerce:write',
  summary: 'Say that what an order asked attention for is dealt with',
  description:
    'Of what only a person can tell that it is. `paid_after_cancel`, `overpaid`, `refund_unanswered` and `calendar_failed` go with what raised them. It may be raised again by what happens later. What is not raised stays so.',
  body: Joi.object<{ attention: SettledByHand; revision?: number }>({
    attention: Joi.string()
      .valid(...settledByHand)
      .required(),
    revision,
  }),
  errors: [409],
  responses: { 200: orderView },
  example: { body: { attention: 'price_changed' } },
  handler: ({ params: { orderID }, body, caller, write }, { secrets }) =>
    changeOneOrder({ caller, write, secrets }, { id: orderID, revision: body.revision }, (order) =>
      settleAttention(order, body.attention),
    ),
});
