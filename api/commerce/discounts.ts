import Joi from 'joi';
import { discountKinds } from '../../src/commerce/catalogue/discount.entity.ts';
import {
  changeDiscount,
  createDiscount,
  type DiscountPatch,
  type DiscountRow,
  deleteDiscount,
  discountsLock,
  getDiscount,
  listDiscounts,
  maxDiscounts,
  type NewDiscount,
} from '../../src/commerce/catalogue/discounts.ts';
import { currencyCode } from '../../src/money/schemas.ts';
import { exampleIdOf, exampleTime } from '../../src/platform/examples.ts';
import { endpoint, ok } from '../http/endpoint.ts';
import { listed, listOf, type PageQuery, pageQuery } from '../http/paging.ts';
import { endMoment, id, iso, moment, timestamp } from '../http/schemas.ts';
import { view } from '../http/view.ts';
import { amount, flag, shownAmount, tag, whole } from './catalogue-schemas.ts';

const about = { tag, subject: 'Discount' };
const path = '/v1/commerce/discounts';
const onePath = `${path}/:discountID` as const;
const maxInt32 = 2 ** 31 - 1;

const kind = Joi.string()
  .valid(...discountKinds)
  .description('percent: of the subtotal, in basis points; fixed: an amount; free_delivery: the fee');
const code = Joi.string()
  .trim()
  .max(50)
  .pattern(/^[A-Za-z0-9_-]+$/, 'letters, digits, _ and -')
  .description('Unique, whatever its case');

const fields = {
  code,
  kind,
  value: amount.description('Basis points from 1 to 10,000, or minor units of the currency; 0 for free_delivery'),
  currency: currencyCode.allow(null).description('Of its amounts; null: of any order'),
  starts_at: moment.allow(null),
  ends_at: endMoment.allow(null),
  min_subtotal: amount.description('An order is at least of this subtotal'),
  max_uses: whole(1, maxInt32).allow(null),
  max_uses_per_contact: whole(1, maxInt32).allow(null),
  active: flag,
};

const count = Joi.number().integer().allow(null).required();
const discountView = view(
  'discount',
  Joi.object({
    id: id.required(),
    code: Joi.string().required(),
    kind: kind.required(),
    value: shownAmount,
    currency: Joi.string().allow(null).required(),
    starts_at: timestamp.allow(null).required(),
    ends_at: timestamp.allow(null).required(),
    min_subtotal: shownAmount,
    max_uses: count,
    max_uses_per_contact: count,
    uses: Joi.number().integer().required().description('By orders that are not cancelled'),
    active: Joi.boolean().required(),
    created_at: timestamp.required(),
    updated_at: timestamp.required(),
  }),
  {
    id: exampleIdOf('discount'),
    code: 'SPRING',
    kind: 'percent',
    value: 1_000,
    currency: null,
    starts_at: null,
    ends_at: exampleTime,
    min_subtotal: 0,
    max_uses: 500,
    max_uses_per_contact: 1,
    uses: 12,
    active: true,
    created_at: exampleTime,
    updated_at: exampleTime,
  },
);

const toView = (row: DiscountRow) => ({
  ...row,
  value: Number(row.value),
  min_subtotal: Number(row.min_subtotal),
  starts_at: row.starts_at === null ? null : iso(row.starts_at),
  ends_at: row.ends_at === null ? null : iso(row.ends_at),
  created_at: iso(row.created_at),
  updated_at: iso(row.updated_at),
});

export const listOfDiscounts = endpoint({
  tag,
  method: 'get',
  path,
  operationId: 'commerce.discounts.list',
  scope: 'commerce:read',
  summary: 'List discounts, newest first',
  query: Joi.object<PageQuery>(pageQuery),
  responses: { 200: listOf(discountView) },
  handler: ({ query, own }) => listed('commerce.discounts', {}, query, (page) => listDiscounts(own, page), toView),
});

export const createOneDiscount = endpoint({
  tag,
  method: 'post',
  path,
  operationId: 'commerce.discounts.create',
  scope: 'commerce:write',
  summary: 'Create a discount',
  description: `An order takes one by its code. An organization has at most ${maxDiscounts}.`,
  audit: 'discount',
  isIdempotent: true,
  body: Joi.object<NewDiscount>({
    ...fields,
    code: code.required(),
    kind: kind.required(),
    value: fields.value.default(0),
    currency: fields.currency.default(null),
    starts_at: fields.starts_at.default(null),
    ends_at: fields.ends_at.default(null),
    min_subtotal: fields.min_subtotal.default(0),
    max_uses: fields.max_uses.default(null),
    max_uses_per_contact: fields.max_uses_per_contact.default(null),
    active: flag.default(true),
  }),
  responses: { 201: discountView },
  errors: [409],
  example: { body: { code: 'SPRING', kind: 'percent', value: 1_000, max_uses: 500, max_uses_per_contact: 1 } },
  handler: ({ body, own, write }) =>
    write({ locks: [discountsLock(own.organizationId)] }, async (tx) => ({
      status: 201,
      body: toView(await createDiscount(tx.own, body)),
    })),
});

export const getOneDiscount = endpoint({
  ...about,
  method: 'get',
  path: onePath,
  operationId: 'commerce.discounts.get',
  scope: 'commerce:read',
  summary: 'Get one discount',
  responses: { 200: discountView },
  handler: async ({ params, own }) => ok(toView(await getDiscount(own, params.discountID))),
});

export const patchOneDiscount = endpoint({
  ...about,
  method: 'patch',
  path: onePath,
  operationId: 'commerce.discounts.update',
  scope: 'commerce:write',
  summary: 'Change a discount',
  description: 'What is not given stays. Orders keep what it took off. `max_uses` below its uses so far is a 409.',
  audit: 'discount',
  body: Joi.object<DiscountPatch>(fields).min(1),
  responses: { 200: discountView },
  errors: [409],
  example: { body: { max_uses: 1_000 } },
  handler: ({ params, body, write }) =>
    write({}, async ({ own }) => ({
      ...ok(toView(await changeDiscount(own, params.discountID, body))),
      audit: { details: { changed: Object.keys(body) } },
    })),
});

export const deleteOneDiscount = endpoint({
  ...about,
  method: 'delete',
  path: onePath,
  operationId: 'commerce.discounts.delete',
  scope: 'commerce:write',
  summary: 'Delete a discount',
  description: 'Orders keep what it took off.',
  audit: 'discount',
  responses: { 204: null },
  handler: ({ params, write }) =>
    write({ isLong: true }, async ({ own }) => {
      await deleteDiscount(own, params.discountID);
      return { status: 204 };
    }),
});
