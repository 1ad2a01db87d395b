import Joi from 'joi';
import type { NewOrder } from '../../src/commerce/drafts/content.ts';
import { createOrder, creationOf } from '../../src/commerce/orders/create.ts';
import { countDelivery } from '../../src/commerce/orders/deliveries.ts';
import { type OrderPatch, patchOrder, refusedReference } from '../../src/commerce/orders/patch.ts';
import { actorOf } from '../../src/organizations/caller.ts';
import { endpoint } from '../http/endpoint.ts';
import { id } from '../http/schemas.ts';
import {
  customerFields,
  deliveryDate,
  exampleNewOrder,
  newOrderFields,
  notes,
  paymentMethod,
  referralCode,
  shippingAddress,
  sourceReference,
  uploads,
} from './order-fields.ts';
import { aboutOrder, changeOneOrder, orderReply, orderView, revision, writtenReply } from './order-view.ts';

export const createOneOrder = endpoint({
  ...aboutOrder,
  method: 'post',
  path: '/v1/commerce/orders',
  operationId: 'commerce.orders.create',
  scope: 'commerce:write',
  summary: 'Create an order',
  description:
    'A draft and its conversion in one. The contact is found or made, names and prices are copied, and the discount, the slot, the time and the stock are taken together, or nothing is. The stock is held for `reservation_minutes` of the settings, or until the order is paid. A fee is never named: it is that of the delivery method, or of a rate of a quote. A total that no connected payment provider can express is a 422; without a connected one any total is taken.',
  errors: [404, 409],
  isIdempotent: true,
  body: newOrderFields as Joi.ObjectSchema<NewOrder>,
  responses: { 201: orderView },
  example: { body: exampleNewOrder },
  handler: ({ body, caller, own, write }, { secrets }) =>
    write(creationOf(own, body), async ({ own: tx }, seen) => {
      const orderId = await createOrder(tx, secrets, seen, { actor: actorOf(caller) });
      return { ...(await writtenReply(tx, orderId, secrets)), status: 201 };
    }),
});

export const getOneOrder = endpoint({
  ...aboutOrder,
  method: 'get',
  path: '/v1/commerce/orders/:orderID',
  operationId: 'commerce.orders.get',
  scope: 'commerce:read',
  summary: 'Get one order',
  responses: { 200: orderView },
  handler: ({ params, own }, { secrets }) => orderReply(own, params.orderID, secrets),
});

const words = (max: number) => Joi.string().trim().allow('').max(max);

export const patchOneOrder = endpoint({
  ...aboutOrder,
  method: 'patch',
  path: '/v1/commerce/orders/:orderID',
  operationId: 'commerce.orders.update',
  scope: 'commerce:write',
  summary: 'Change an order',
  description:
    'What is not given stays, so that two people who change different fields keep both. Customer and delivery can be changed until the order is shipped. Items and amounts never change.',
  errors: [409],
  body: Joi.object<OrderPatch & { revision?: number }>({
    ...customerFields,
    delivery_date: deliveryDate,
    delivery_timeslot_id: id.description('Of the delivery method as it was sold; its place before is free again'),
    shipping_address: shippingAddress,
    checkout_uploads: uploads.allow(null),
    payment_method: paymentMethod,
    referral_code: referralCode,
    notes,
    fulfillment_notes: notes,
    fulfillment_carrier: words(200),
    tracking_number: words(200),
    tracking_url: words(2_000)
      .uri({ scheme: 'https' })
      .custom((text: string, { error }) => (URL.parse(text)?.username || URL.parse(text)?.password ? error('string.uri') : text))
      .description('https, without credentials; it is only shown'),
    source_reference: sourceReference.allow(''),
    revision,
  }).min(1),
  responses: { 200: orderView },
  example: { body: { fulfillment_notes: 'Leave it at the gate', revision: 1 } },
  handler: ({ params: { orderID }, body: { revision: seen, ...patch }, caller, write }, { secrets }) =>
    changeOneOrder({ caller, write, secrets }, { id: orderID, revision: seen }, (order) => patchOrder(order, patch), {
      refusal: refusedReference,
    }),
});

export const countOneDelivery = endpoint({
  ...aboutOrder,
  method: 'post',
  path: '/v1/commerce/orders/:orderID/deliveries',
  operationId: 'commerce.orders.deliveries',
  scope: 'commerce:write',
  summary: 'Count a prepaid delivery as made',
  description: 'One fewer remains. When none is left, or the order has none: 409.',
  errors: [409],
  isIdempotent: true,
  responses: { 200: orderView },
  handler: ({ params: { orderID }, caller, write }, { secrets }) =>
    changeOneOrder({ caller, write, secrets }, { id: orderID }, countDelivery),
});
