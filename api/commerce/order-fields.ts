import Joi from 'joi';
import type { GivenItem, NewOrder } from '../../src/commerce/drafts/content.ts';
import type { ShippingAddress } from '../../src/commerce/orders/order.entity.ts';
import { contactEmail, contactName } from '../../src/contacts/fields.ts';
import { phoneNumber } from '../../src/contacts/identities/phone.ts';
import { currencyCode } from '../../src/money/schemas.ts';
import { exampleIdOf } from '../../src/platform/examples.ts';
import { day, id, moment, timeZone } from '../http/schemas.ts';

/* What a client may say of an order and of a draft. */

export const maxItems = 100;
export const maxQuantity = 10_000;
const maxUploads = 20;

const text = (max: number) => Joi.string().trim().max(max);

export const shippingAddress = Joi.object<ShippingAddress, true>({
  address: text(500).min(1).required(),
  city: text(500).min(1).required(),
  district: text(500).min(1).required(),
  province: text(500).min(1).required(),
  area_id: text(200).description("The shipper's id of the area; a rate of a quote is for one"),
  area_name: text(500),
});

const items = Joi.array()
  .items(
    Joi.object<GivenItem, true>({
      variant_id: id.required(),
      quantity: Joi.number().strict().integer().min(1).max(maxQuantity).required(),
    }),
  )
  .max(maxItems)
  .description('A variant may be in several lines');

const booking = Joi.object<NonNullable<NewOrder['booking']>, true>({
  service_id: id.required().description('Of a variant among the items'),
  staff_id: id.description('Default: who is free, in the order of the service'),
  starts_at: moment.required(),
  mode: Joi.string().valid('in_person', 'video', 'phone'),
  timezone: timeZone.description("The customer's; default: that of the staff member"),
  video_conference_override: Joi.string()
    .max(2_000)
    .description('`none`, `calendar`, `video` or an https link; default: as the service says'),
}).description('The time to hold, for an item with a service');

export const customerFields = {
  customer_name: contactName.allow(''),
  customer_email: contactEmail.allow(''),
  customer_phone: phoneNumber.allow(''),
};

export const uploads = Joi.array().items(id).max(maxUploads).unique().description('Media assets of the customer');
export const notes = text(5_000).allow('');
export const referralCode = text(100).allow('');
export const paymentMethod = text(50).allow('');
export const sourceReference = text(200).description('What the order is called where it comes from; unique if given');
export const deliveryDate = day.description('YYYY-MM-DD, a day in the zone of the store');

const fields = {
  contact_id: id.description('Default: the contact with the phone or the email, who is made if there is none'),
  items,
  currency: currencyCode.description('Each item needs a price in it; default: that of the store'),
  ...customerFields,
  discount_code: text(100).min(1),
  delivery_method_id: id,
  delivery_date: deliveryDate,
  delivery_timeslot_id: id.description('Of the delivery method; needs `delivery_date`'),
  shipping_address: shippingAddress,
  quote_id: id.description('Of POST /v1/commerce/shipping-quotes, for a method of kind live; the fee is that of its rate'),
  rate_id: text(200).description('A rate of the quote'),
  booking,
  checkout_uploads: uploads,
  payment_method: paymentMethod,
  referral_code: referralCode,
  notes,
  fulfillment_notes: notes,
  source_reference: sourceReference.min(1),
};

/** Of an order that is made at once. */
export const newOrderFields = Joi.object<NewOrder>({ ...fields, items: items.min(1).required() })
  .and('quote_id', 'rate_id')
  .with('delivery_timeslot_id', ['delivery_date', 'delivery_method_id']);

/** Of a draft: what is missing is said by its `faults`. In a change a null removes. */
export const draftFields = fields;
export const draftChange = Object.fromEntries(
  Object.entries(fields).map(([name, schema]) => [name, (schema as Joi.AnySchema).allow(null)]),
) as Record<keyof typeof fields, Joi.AnySchema>;

export const exampleNewOrder = {
  items: [{ variant_id: exampleIdOf('variant'), quantity: 2 }],
  customer_name: 'Ada Lovelace',
  customer_phone: '+16505551234',
  notes: 'Please ring twice',
};
