import Joi from 'joi';
import type { ShownDraft } from '../../src/commerce/drafts/shown.ts';
import { digitsOf } from '../../src/money/currencies.ts';
import { exampleIdOf, exampleIds, exampleTime } from '../../src/platform/examples.ts';
import { id, iso, timestamp } from '../http/schemas.ts';
import { view } from '../http/view.ts';
import { draftFields } from './order-fields.ts';

const amount = Joi.number().integer().min(0);

const item = Joi.object({
  variant_id: id.required(),
  quantity: Joi.number().integer().required(),
  sku: Joi.string().allow('').required(),
  name: Joi.string().allow('').required(),
  unit_amount: amount.allow(null).required().description('null: it cannot be sold so; see `faults`'),
  discount_amount: amount.required(),
  total_amount: amount.allow(null).required(),
});

const { items: _items, contact_id: _contact, currency: _currency, ...given } = draftFields;

export const draftView = view(
  'draft_order',
  Joi.object({
    id: id.required(),
    contact_id: id.allow(null).required(),
    order_id: id.allow(null).required().description('The order it became; null: none yet'),
    ...given,
    items: Joi.array().items(item).required().description('With the names and prices of this moment'),
    currency: Joi.string().required(),
    currency_digits: Joi.number().integer().required(),
    subtotal_amount: amount.required(),
    discount_amount: amount.required(),
    delivery_fee_amount: amount.required(),
    total_amount: amount.required().description('What its order would cost now; computed at each read'),
    faults: Joi.array()
      .items(
        Joi.object({
          field: Joi.string().allow('').required(),
          code: Joi.string().required(),
          message: Joi.string().required(),
        }),
      )
      .required()
      .description('Why it could not be an order now; stock, slots and times are asked for by the conversion alone'),
    revision: Joi.number().integer().required().description('Raised by 1 with each change'),
    created_at: timestamp.required(),
    updated_at: timestamp.required().description('It is deleted 30 days later'),
  }),
  {
    id: exampleIdOf('draft_order'),
    contact_id: exampleIds.contact,
    order_id: null,
    customer_name: 'Ada Lovelace',
    items: [
      {
        variant_id: exampleIdOf('variant'),
        quantity: 2,
        sku: 'TEA-100',
        name: 'Green tea, 100 g',
        unit_amount: 5000,
        discount_amount: 0,
        total_amount: 10000,
      },
    ],
    currency: 'USD',
    currency_digits: 2,
    subtotal_amount: 10000,
    discount_amount: 0,
    delivery_fee_amount: 0,
    total_amount: 10000,
    faults: [],
    revision: 1,
    created_at: exampleTime,
    updated_at: exampleTime,
  },
);

export const toDraftView = ({ row, priced, totals, faults }: ShownDraft) => {
  const { items = [], ...content } = row.content;
  let place = 0;
  return {
    id: row.id,
    contact_id: row.contact_id,
    order_id: row.order_id,
    ...content,
    items: items.map(({ variant_id, quantity }, index) => {
      const line = priced.lines[index];
      const sum = line && totals.lines[place++];
      return {
        variant_id,
        quantity,
        sku: line?.variant.sku ?? '',
        name: line?.name ?? '',
        unit_amount: line ? Number(line.unit) : null,
        discount_amount: sum ? Number(sum.discount) : 0,
        total_amount: sum ? Number(sum.total) : null,
      };
    }),
    currency: priced.currency,
    currency_digits: digitsOf(priced.currency),
    subtotal_amount: Number(totals.subtotal),
    discount_amount: Number(totals.discount),
    delivery_fee_amount: Number(totals.fee),
    total_amount: Number(totals.total),
    faults: faults.map(({ field, code, message }) => ({ field, code, message })),
    revision: row.revision,
    created_at: iso(row.created_at),
    updated_at: iso(row.updated_at),
  };
};
