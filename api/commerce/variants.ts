import Joi from 'joi';
import { getProduct } from '../../src/commerce/catalogue/products.ts';
import { getVariant, listVariants } from '../../src/commerce/catalogue/variant-row.ts';
import {
  changeVariant,
  createVariant,
  deleteVariant,
  maxVariants,
  type NewVariant,
  type VariantPatch,
} from '../../src/commerce/catalogue/variants.ts';
import { actorOf } from '../../src/organizations/caller.ts';
import { endpoint, ok } from '../http/endpoint.ts';
import { listed, listOf, type PageQuery, pageQuery } from '../http/paging.ts';
import { amount, flag, tag } from './catalogue-schemas.ts';
import { prices, sku, toVariantView, variantFields, variantView } from './variant-schemas.ts';

const about = { tag, subject: 'Variant' };
const ofProduct = '/v1/commerce/products/:productID/variants';
const path = '/v1/commerce/variants';
const onePath = `${path}/:variantID` as const;

export const listOfVariants = endpoint({
  tag,
  subject: 'Product',
  method: 'get',
  path: ofProduct,
  operationId: 'commerce.variants.list',
  scope: 'commerce:read',
  summary: 'List the variants of a product, newest first',
  query: Joi.object<PageQuery>(pageQuery),
  responses: { 200: listOf(variantView) },
  async handler({ params, query, own }, { reads }) {
    await getProduct(own, params.productID);
    const read = (page: Parameters<typeof listVariants>[3]) => listVariants(own, reads.plain, params.productID, page);
    return listed('commerce.variants', params, query, read, toVariantView);
  },
});

export const createOneVariant = endpoint({
  tag,
  subject: 'Product',
  method: 'post',
  path: ofProduct,
  location: path,
  operationId: 'commerce.variants.create',
  scope: 'commerce:write',
  summary: 'Create a variant of a product',
  description: `What is sold: with its prices and, where it tracks stock, what is on hand. A product has at most ${maxVariants}.`,
  audit: 'variant',
  isIdempotent: true,
  body: Joi.object<NewVariant>({
    ...variantFields,
    sku: sku.required(),
    prices: prices.required(),
    name: variantFields.name.default(''),
    active: flag.default(true),
    position: variantFields.position.default(0),
    weight_grams: variantFields.weight_grams.default(null),
    tracks_stock: variantFields.tracks_stock.default(false),
    service_id: variantFields.service_id.default(null),
    prepaid_deliveries: variantFields.prepaid_deliveries.default(null),
    on_hand: amount.default(0).description('Pieces in the house'),
  }),
  responses: { 201: variantView },
  errors: [409],
  example: {
    body: {
      sku: 'SOAP-250',
      name: '250 g',
      weight_grams: 260,
      prices: { IDR: 5_000_000, USD: 450 },
      tracks_stock: true,
      on_hand: 100,
    },
  },
  handler: ({ params, body, caller, write }) =>
    write({}, async ({ own }) => {
      const made = toVariantView(await createVariant(own, params.productID, body, actorOf(caller)));
      return { status: 201, body: made, audit: { subject: `variant:${made.id}` } };
    }),
});

export const getOneVariant = endpoint({
  ...about,
  method: 'get',
  path: onePath,
  operationId: 'commerce.variants.get',
  scope: 'commerce:read',
  summary: 'Get one variant',
  responses: { 200: variantView },
  handler: async ({ params, own }) => ok(toVariantView(await getVariant(own, params.variantID))),
});

export const patchOneVariant = endpoint({
  ...about,
  method: 'patch',
  path: onePath,
  operationId: 'commerce.variants.update',
  scope: 'commerce:write',
  summary: 'Change a variant',
  description:
    'What is not given stays; `prices` are given together. Orders keep what they copied. Stock has an endpoint of its own.',
  audit: 'variant',
  body: Joi.object<VariantPatch>(variantFields).min(1),
  responses: { 200: variantView },
  errors: [409],
  example: { body: { prices: { IDR: 5_500_000, USD: 480 } } },
  handler: ({ params, body, write }) =>
    write({}, async ({ own }) => ({
      ...ok(toVariantView(await changeVariant(own, params.variantID, body))),
      audit: { details: { changed: Object.keys(body) } },
    })),
});

export const deleteOneVariant = endpoint({
  ...about,
  method: 'delete',
  path: onePath,
  operationId: 'commerce.variants.delete',
  scope: 'commerce:write',
  summary: 'Delete a variant with its prices and movements',
  description: 'Orders keep what they copied. To stop its sale, set `active` to false.',
  audit: 'variant',
  responses: { 204: null },
  handler: ({ params, write }) =>
    write({ isLong: true }, async ({ own }) => {
      await deleteVariant(own, params.variantID);
      return { status: 204 };
    }),
});
