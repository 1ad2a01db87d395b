import Joi from 'joi';
import {
  type CategoryRow,
  createCategory,
  deleteCategory,
  type GivenCategory,
  getCategory,
  listCategories,
  maxCategories,
  putCategory,
} from '../../src/commerce/catalogue/categories.ts';
import { categoriesLock, maxDepth } from '../../src/commerce/catalogue/category-tree.ts';
import { exampleIdOf, exampleIds } from '../../src/platform/examples.ts';
import { endpoint, ok } from '../http/endpoint.ts';
import { listed, listOf, type PageQuery, pageQuery } from '../http/paging.ts';
import { id } from '../http/schemas.ts';
import { view } from '../http/view.ts';
import { flag, name, slug, tag, whole } from './catalogue-schemas.ts';

const about = { tag, subject: 'Category' };
const path = '/v1/commerce/categories';
const onePath = `${path}/:categoryID` as const;

export const categoryView = view(
  'category',
  Joi.object({
    id: id.required(),
    organization_id: id.required(),
    name: Joi.string().required(),
    slug: Joi.string().required(),
    parent_id: id.description('Missing at the root'),
    active: Joi.boolean().required(),
    sort_order: Joi.number().integer().required().description('Among its siblings'),
  }),
  {
    id: exampleIdOf('category'),
    organization_id: exampleIds.organization,
    name: 'Soap',
    slug: 'soap',
    active: true,
    sort_order: 10,
  },
);

const toView = ({ parent_id, created_at: _, ...row }: CategoryRow) => ({ ...row, ...(parent_id !== null && { parent_id }) });

const maxInt32 = 2 ** 31 - 1;
const given = Joi.object<GivenCategory>({
  active: flag.required(),
  name: name.required(),
  slug: slug.required(),
  parent_id: id.description(`Under which category it stands, at most ${maxDepth} deep. Without it at the root`),
  sort_order: whole(-maxInt32 - 1, maxInt32).default(0),
});
const example = { active: true, name: 'Soap', slug: 'soap', sort_order: 10 };

type CategoryQuery = PageQuery & { parent_id?: string; active?: boolean };

export const listOfCategories = endpoint({
  tag,
  method: 'get',
  path,
  operationId: 'commerce.categories.list',
  scope: 'commerce:read',
  summary: 'List categories, newest first',
  query: Joi.object<CategoryQuery>({ ...pageQuery, parent_id: id.description('Those right below it'), active: Joi.boolean() }),
  responses: { 200: listOf(categoryView) },
  handler: ({ query, own }, { reads }) => {
    const filter = { parentId: query.parent_id, active: query.active };
    return listed('commerce.categories', filter, query, (page) => listCategories(own, reads.plain, filter, page), toView);
  },
});

export const createOneCategory = endpoint({
  tag,
  method: 'post',
  path,
  operationId: 'commerce.categories.create',
  scope: 'commerce:write',
  summary: 'Create a category',
  description: `An organization has at most ${maxCategories}.`,
  audit: 'category',
  isIdempotent: true,
  body: given,
  responses: { 201: categoryView },
  errors: [409],
  example: { body: example },
  handler: ({ body, own, write }) =>
    write({ locks: [categoriesLock(own.organizationId)] }, async (tx) => ({
      status: 201,
      body: toView(await createCategory(tx.own, body)),
    })),
});

export const getOneCategory = endpoint({
  ...about,
  method: 'get',
  path: onePath,
  operationId: 'commerce.categories.get',
  scope: 'commerce:read',
  summary: 'Get one category',
  responses: { 200: categoryView },
  handler: async ({ params, own }) => ok(toView(await getCategory(own, params.categoryID))),
});

export const putOneCategory = endpoint({
  ...about,
  method: 'put',
  path: onePath,
  operationId: 'commerce.categories.put',
  scope: 'commerce:write',
  summary: 'Create or replace a category under an id of your own',
  description: `The whole category: without \`parent_id\` it stands at the root, without \`sort_order\` at 0. Always 200. An organization has at most ${maxCategories}.`,
  audit: 'category',
  body: given,
  responses: { 200: categoryView },
  errors: [409],
  example: { body: example },
  handler: ({ params, body, own, write }) =>
    write({ locks: [categoriesLock(own.organizationId)] }, async (tx) =>
      ok(toView(await putCategory(tx.own, params.categoryID, body))),
    ),
});

export const deleteOneCategory = endpoint({
  ...about,
  method: 'delete',
  path: onePath,
  operationId: 'commerce.categories.delete',
  scope: 'commerce:write',
  summary: 'Delete a category',
  description: 'Its products lose it. While other categories stand below it, it is a 409.',
  audit: 'category',
  responses: { 204: null },
  errors: [409],
  handler: ({ params, own, write }) =>
    write({ locks: [categoriesLock(own.organizationId)], isLong: true }, async (tx) => {
      await deleteCategory(tx.own, params.categoryID);
      return { status: 204 };
    }),
});
