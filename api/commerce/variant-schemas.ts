import Joi from 'joi';
import type { VariantRow } from '../../src/commerce/catalogue/variant-row.ts';
import { currencyCode } from '../../src/money/schemas.ts';
import { exampleIdOf, exampleTime } from '../../src/platform/examples.ts';
import { id, iso, timestamp } from '../http/schemas.ts';
import { view } from '../http/view.ts';
import { amount, flag, shownAmount, whole } from './catalogue-schemas.ts';

const maxInt32 = 2 ** 31 - 1;
export const sku = Joi.string().trim().min(1).max(100).description('Unique in the organization');
export const prices = Joi.object()
  .pattern(currencyCode, amount)
  .min(1)
  .max(50)
  .description('By currency, in its minor units: `{"USD": 1250}`; in IDR multiples of 100, whole rupiah');

/** Of a change: what is not given stays. */
export const variantFields = {
  sku,
  name: Joi.string().trim().allow('').max(200).description('Beside the name of the product'),
  active: flag,
  position: whole(0, maxInt32).description('Among the variants of its product'),
  weight_grams: whole(1, 1_000_000).allow(null),
  prices,
  tracks_stock: flag.description('true: it is sold only while it is available'),
  service_id: id.allow(null).description('The service that a booking of it is for'),
  prepaid_deliveries: whole(1, 1_000).allow(null).description('How many deliveries one piece pays for'),
};

export const variantView = view(
  'product_variant',
  Joi.object({
    id: id.required(),
    product_id: id.required(),
    sku: Joi.string().required(),
    name: Joi.string().allow('').required(),
    active: Joi.boolean().required(),
    position: Joi.number().integer().required(),
    weight_grams: Joi.number().integer().allow(null).required(),
    prices: Joi.object().pattern(Joi.string(), Joi.number().integer()).required().description('By currency, in its minor units'),
    tracks_stock: Joi.boolean().required(),
    on_hand: shownAmount.description('Pieces in the house'),
    reserved: shownAmount.description('Of these, for orders that are not shipped yet'),
    available: shownAmount.description('The others: what can be ordered'),
    service_id: id.allow(null).required(),
    prepaid_deliveries: Joi.number().integer().allow(null).required(),
    created_at: timestamp.required(),
    updated_at: timestamp.required(),
  }),
  {
    id: exampleIdOf('variant'),
    product_id: exampleIdOf('product'),
    sku: 'SOAP-250',
    name: '250 g',
    active: true,
    position: 0,
    weight_grams: 260,
    prices: { IDR: 5_000_000, USD: 450 },
    tracks_stock: true,
    on_hand: 100,
    reserved: 3,
    available: 97,
    service_id: null,
    prepaid_deliveries: null,
    created_at: exampleTime,
    updated_at: exampleTime,
  },
);

export const toVariantView = ({ on_hand, reserved, created_at, updated_at, ...row }: VariantRow) => ({
  ...row,
  on_hand: Number(on_hand),
  reserved: Number(reserved),
  available: Number(BigInt(on_hand) - BigInt(reserved)),
  created_at: iso(created_at),
  updated_at: iso(updated_at),
});
