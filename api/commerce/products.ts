import Joi from 'joi';
import { productKinds } from '../../src/commerce/catalogue/product.entity.ts';
import {
  changeProduct,
  createProduct,
  deleteProduct,
  getProduct,
  listProducts,
  maxCategoriesOfProduct,
  maxImages,
  maxProducts,
  type NewProduct,
  type ProductPatch,
  type ProductRow,
  productFields,
  productsLock,
  readProductListing,
} from '../../src/commerce/catalogue/products.ts';
import { metadata } from '../../src/contacts/fields.ts';
import { exampleIdOf, exampleTime } from '../../src/platform/examples.ts';
import { endpoint, ok } from '../http/endpoint.ts';
import { type ListQuery, listQuery, pageOfListing } from '../http/listing.ts';
import { listOf } from '../http/paging.ts';
import { id, iso, timestamp } from '../http/schemas.ts';
import { view } from '../http/view.ts';
import { flag, name, slug, tag } from './catalogue-schemas.ts';

const about = { tag, subject: 'Product' };
const path = '/v1/commerce/products';
const onePath = `${path}/:productID` as const;

const kind = Joi.string()
  .valid(...productKinds)
  .description('physical: it is sent or picked up');
const ids = Joi.array().items(id);

const productView = view(
  'product',
  Joi.object({
    id: id.required(),
    name: Joi.string().required(),
    slug: Joi.string().required(),
    description: Joi.string().allow('').required(),
    kind: kind.required(),
    category_ids: ids.required(),
    active: Joi.boolean().required().description('false: it is not sold'),
    images: ids.required().description('Media assets'),
    metadata: Joi.object().required(),
    created_at: timestamp.required(),
    updated_at: timestamp.required(),
  }),
  {
    id: exampleIdOf('product'),
    name: 'Olive soap',
    slug: 'olive-soap',
    description: 'Made by hand',
    kind: 'physical',
    category_ids: [exampleIdOf('category')],
    active: true,
    images: [],
    metadata: {},
    created_at: exampleTime,
    updated_at: exampleTime,
  },
);

const toView = (row: ProductRow) => ({
  id: row.id,
  name: row.name,
  slug: row.slug,
  description: row.description,
  kind: row.kind,
  category_ids: row.category_ids,
  active: row.active,
  images: row.images,
  metadata: row.metadata,
  created_at: iso(row.created_at),
  updated_at: iso(row.updated_at),
});

const fields = {
  name,
  slug,
  description: Joi.string().trim().allow('').max(10_000),
  kind,
  category_ids: ids.unique().max(maxCategoriesOfProduct),
  active: flag,
  images: ids.unique().max(maxImages).description('Media assets'),
  metadata,
};

export const listOfProducts = endpoint({
  tag,
  method: 'get',
  path,
  operationId: 'commerce.products.list',
  scope: 'commerce:read',
  summary: 'List products',
  query: Joi.object<ListQuery>(listQuery(productFields)),
  responses: { 200: listOf(productView) },
  example: { query: { search: 'soap', filters: '[{"field":"active","value":true}]' } },
  async handler({ query, own }, { reads }) {
    const listing = readProductListing(query);
    const { rows: items, meta } = await pageOfListing(
      listing,
      query,
      (page) => listProducts(reads, own.organizationId, listing, page),
      toView,
    );
    return ok({ items, meta });
  },
});

export const createOneProduct = endpoint({
  tag,
  method: 'post',
  path,
  operationId: 'commerce.products.create',
  scope: 'commerce:write',
  summary: 'Create a product',
  description: `It is sold by its variants, which have price and stock. An organization has at most ${maxProducts} products.`,
  audit: 'product',
  isIdempotent: true,
  body: Joi.object<NewProduct>({
    ...fields,
    name: name.required(),
    slug: slug.required(),
    kind: kind.required(),
    description: fields.description.default(''),
    category_ids: fields.category_ids.default([]),
    active: flag.default(true),
    images: fields.images.default([]),
    metadata: metadata.default({}),
  }),
  responses: { 201: productView },
  errors: [409],
  example: { body: { name: 'Olive soap', slug: 'olive-soap', kind: 'physical', description: 'Made by hand' } },
  handler: ({ body, own, write }) =>
    write({ locks: [productsLock(own.organizationId)] }, async (tx) => ({
      status: 201,
      body: toView(await createProduct(tx.own, body)),
    })),
});

export const getOneProduct = endpoint({
  ...about,
  method: 'get',
  path: onePath,
  operationId: 'commerce.products.get',
  scope: 'commerce:read',
  summary: 'Get one product',
  responses: { 200: productView },
  handler: async ({ params, own }) => ok(toView(await getProduct(own, params.productID))),
});

export const patchOneProduct = endpoint({
  ...about,
  method: 'patch',
  path: onePath,
  operationId: 'commerce.products.update',
  scope: 'commerce:write',
  summary: 'Change a product',
  description: 'What is not given stays. Orders keep what they copied.',
  audit: 'product',
  body: Joi.object<ProductPatch>(fields).min(1),
  responses: { 200: productView },
  errors: [409],
  example: { body: { name: 'Olive soap, new' } },
  handler: ({ params, body, write }) =>
    write({}, async ({ own }) => ({
      ...ok(toView(await changeProduct(own, params.productID, body))),
      audit: { details: { changed: Object.keys(body) } },
    })),
});

export const deleteOneProduct = endpoint({
  ...about,
  method: 'delete',
  path: onePath,
  operationId: 'commerce.products.delete',
  scope: 'commerce:write',
  summary: 'Delete a product with its variants',
  description: 'Orders keep what they copied. To stop its sale, set `active` to false.',
  audit: 'product',
  responses: { 204: null },
  handler: ({ params, write }) =>
    write({ isLong: true }, async ({ own }) => {
      await deleteProduct(own, params.productID);
      return { status: 204 };
    }),
});
