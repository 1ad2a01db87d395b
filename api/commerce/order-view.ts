import Joi from 'joi';
import { attentions } from '../../src/commerce/orders/attention.ts';
import { orderFulfillmentStatuses, orderPaymentStatuses, orderStatuses } from '../../src/commerce/orders/order.entity.ts';
import { orderLock } from '../../src/commerce/orders/order-row.ts';
import { type Asked, changeOrder, type OrderTx } from '../../src/commerce/orders/order-tx.ts';
import { showOrder } from '../../src/commerce/orders/shown.ts';
import { actorOf, type Caller } from '../../src/organizations/caller.ts';
import type { Own, OwnRecords } from '../../src/platform/database/own.ts';
import { exampleIdOf, exampleIds, exampleTime } from '../../src/platform/examples.ts';
import type { Secrets } from '../../src/platform/secrets.ts';
import { type Input, ok, type Reply } from '../http/endpoint.ts';
import { id, timestamp } from '../http/schemas.ts';
import { view } from '../http/view.ts';
import { shippingMetadata } from './shipping-metadata-view.ts';
import { toOrderView } from './to-order-view.ts';

export const tag = 'Commerce';
export const aboutOrder = { tag, subject: 'Order' };

const amount = Joi.number().integer().min(0).required();
const text = Joi.string();

const item = Joi.object({
  id: id.required(),
  product_id: id.allow(null).required(),
  variant_id: id.allow(null).required().description('null: it was deleted since'),
  sku: text.allow('').required(),
  name: text.required().description('As it was sold'),
  quantity: Joi.number().integer().required(),
  unit_amount: amount,
  discount_amount: amount.description('Its share of the discount'),
  total_amount: amount.description('`unit_amount` × `quantity` − `discount_amount`'),
});

export const shippingAddressView = Joi.object({
  address: text.required(),
  area_id: text,
  area_name: text,
  city: text.required(),
  district: text.required(),
  province: text.required(),
});

export const exampleOrder = {
  id: exampleIdOf('order'),
  order_no: 'A-000042',
  organization_id: exampleIds.organization,
  contact_id: exampleIds.contact,
  created_at: exampleTime,
  status: 'pending',
  customer_name: 'Ada Lovelace',
  customer_email: 'ada@example.com',
  customer_phone: '+16505551234',
  checkout_uploads: null,
  delivery_method: 'Courier',
  delivery_method_id: exampleIdOf('delivery_method'),
  delivery_fee_amount: 500,
  discount_amount: 1000,
  subtotal_amount: 10000,
  total_amount: 9500,
  referral_code: 'FRIEND',
  shipping_address: { address: '1 Main St', city: 'Springfield', district: 'Centre', province: 'Illinois' },
  items: [
    {
      id: exampleIdOf('order_item'),
      product_id: exampleIdOf('product'),
      variant_id: exampleIdOf('variant'),
      sku: 'TEA-100',
      name: 'Green tea, 100 g',
      quantity: 2,
      unit_amount: 5000,
      discount_amount: 1000,
      total_amount: 9000,
    },
  ],
  currency: 'USD',
  currency_digits: 2,
  payment_status: 'unpaid',
  fulfillment_status: 'unfulfilled',
  paid_amount: 0,
  refunded_amount: 0,
  attention: [],
  reserved_until: '2026-11-21T10:30:00.000Z',
  revision: 1,
  updated_at: exampleTime,
};

/** Optional fields are left out when they are empty; no field of the spec but `checkout_uploads` is ever null. */
export const orderView = view(
  'order',
  Joi.object({
    id: id.required(),
    order_no: text.required().description('The prefix of the store and at least 6 digits; unique, with gaps'),
    organization_id: id,
    contact_id: id,
    draft_order_id: id,
    created_at: timestamp,
    status: text.valid(...orderStatuses).required(),
    customer_name: text,
    customer_email: text,
    customer_phone: text.allow('').required().description('E.164; empty: not known'),
    checkout_uploads: Joi.array().items(id).allow(null).description('Media assets of the customer; null: none were asked for'),
    delivery_date: text.description('YYYY-MM-DD, in the zone of the store'),
    delivery_timeslot: text.description('The label of the slot as it was sold'),
    delivery_method: text.description('The name of the method as it was sold'),
    delivery_method_id: id,
    delivery_fee_amount: amount,
    discount_amount: amount,
    subtotal_amount: amount.description('Σ `unit_amount` × `quantity` of the items'),
    total_amount: amount.description(
      '`subtotal_amount` − `discount_amount` + `delivery_fee_amount`, in minor units of `currency`',
    ),
    payment_method: text,
    referral_code: text,
    notes: text,
    fulfillment_carrier: text,
    fulfillment_notes: text,
    tracking_number: text,
    tracking_url: text,
    source_reference: text.description('What the order is called where it comes from; unique if given'),
    shipping_address: shippingAddressView,
    shipping_metadata: shippingMetadata,
    items: Joi.array().items(item).required(),
    currency: text.required().description('ISO 4217'),
    currency_digits: Joi.number().integer().required().description('Digits of the minor unit: 2 for USD, 0 for JPY'),
    payment_status: text
      .valid(...orderPaymentStatuses)
      .required()
      .description('Follows from what was paid and refunded, never set by hand'),
    fulfillment_status: text.valid(...orderFulfillmentStatuses).required(),
    paid_amount: amount.description('All payments, a surplus included'),
    refunded_amount: amount,
    attention: Joi.array()
      .items(text.valid(...attentions))
      .required()
      .description('What a person must look at'),
    reserved_until: timestamp.allow(null).required().description('Of a pending order: when its stock is free again; null: never'),
    revision: Joi.number().integer().required().description('Raised by 1 with each change'),
    updated_at: timestamp.required(),
  }),
  exampleOrder,
);

/** As it stands. Throws 404. */
export const orderReply = async (own: Own, orderId: string, secrets: Secrets): Promise<Reply> =>
  ok(toOrderView(await showOrder(own, orderId), own.organizationId, secrets));

/** Within a transaction, with what is written so far. */
export async function writtenReply(tx: OwnRecords, orderId: string, secrets: Secrets): Promise<Reply> {
  await tx.flush();
  return orderReply(tx, orderId, secrets);
}

type Refusal = (error: unknown) => Error | undefined;
const optionsOf = (locks: string[], refusal: Refusal | undefined) =>
  refusal ? { look: async () => undefined, locks: () => locks, refusal } : { locks };

type Writing = { caller: Caller; write: Input<unknown, unknown>['write']; secrets: Secrets };

/** One change of an order under its lock, and more locks if given. `refusal`: what an error of the database means. `status`: 201 for what it made. */
export const changeOneOrder = (
  { caller, write, secrets }: Writing,
  asked: Omit<Asked, 'actor'>,
  work: (order: OrderTx) => Promise<void> | void,
  { locks = [], refusal, status = 200 }: { locks?: string[]; refusal?: Refusal; status?: 200 | 201 } = {},
): Promise<Reply> =>
  write(optionsOf([orderLock(asked.id), ...locks], refusal), async ({ own: tx }) => {
    await changeOrder(tx, { ...asked, actor: actorOf(caller) }, work);
    return { ...(await writtenReply(tx, asked.id, secrets)), status };
  });

export const revision = Joi.number()
  .integer()
  .min(1)
  .description('The one you have seen: if the order was changed since then, the answer is a 409 that names the present one');
