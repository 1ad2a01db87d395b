import Joi from 'joi';
import { bindingOf, cursorOf, positionIn } from '../../src/platform/listing/cursor.ts';
import type { Page, PageRows } from '../../src/platform/listing/paging.ts';
import { ok, type Reply } from './endpoint.ts';
import type { View } from './view.ts';

export type PageQuery = { limit: number; cursor?: string; include_total: boolean };
export type Keyset = { limit: number; after?: [createdAt: string, id: string] };

export const pageQuery = {
  limit: Joi.number().integer().min(1).max(100).default(25).description('Records a page'),
  cursor: Joi.string().max(1024).description('`next_cursor` of the page before, with the same filters'),
  include_total: Joi.boolean().default(false).description('Count all records too'),
};

export const pageMeta = Joi.object({
  has_more: Joi.boolean().required(),
  limit: Joi.number().integer().required(),
  cursor: Joi.string(),
  next_cursor: Joi.string(),
  total: Joi.number().integer(),
}).required();

/** The place of a page in its list. `next`: the cursor of the next page, when there is one. */
export const metaOf = ({ limit, cursor }: PageQuery, next: string | undefined, total?: number) => ({
  has_more: next !== undefined,
  limit,
  ...(cursor && { cursor }),
  ...(next && { next_cursor: next }),
  ...(total !== undefined && { total }),
});

/** `rows` has one row more than the limit; `cursorAfter` makes the cursor of the next page. */
export function pageFrom<Row>(query: PageQuery, rows: Row[], cursorAfter: (row: Row) => string, total?: number) {
  const shown = rows.slice(0, query.limit);
  const next = rows.length > query.limit ? cursorAfter(shown.at(-1)!) : undefined;
  return { rows: shown, meta: metaOf(query, next, total) };
}

/** Throws 400 for a cursor of another list or other filters. */
export function keysetOf(scope: string, filters: object, { limit, cursor }: PageQuery): Keyset {
  if (cursor === undefined) return { limit };
  return { limit, after: positionIn<[string, string]>(cursor, bindingOf([scope, filters]), ['time', 'id']) };
}

/** A page of a plain list, newest first. */
export const pageOf = <Row extends { id: string; created_at: string }>(
  scope: string,
  filters: object,
  query: PageQuery,
  rows: Row[],
  total?: number,
) => pageFrom(query, rows, ({ created_at, id }) => cursorOf(bindingOf([scope, filters]), [created_at, id]), total);

/** The whole reply of a plain list. A page may be short or empty when `read` had to stop before the list's end. */
export async function listed<Row extends { id: string; created_at: string }>(
  scope: string,
  filters: object,
  query: PageQuery,
  read: (page: Page) => Promise<PageRows<Row>>,
  toView: (row: Row) => object,
  itemsName: 'items' | 'data' = 'items',
): Promise<Reply> {
  const { rows, total, end } = await read({ ...keysetOf(scope, filters, query), includeTotal: query.include_total });
  const page = pageOf(scope, filters, query, rows, total);
  const meta = !page.meta.has_more && end ? metaOf(query, cursorOf(bindingOf([scope, filters]), end), total) : page.meta;
  return ok({ [itemsName]: page.rows.map(toView), meta });
}

const exampleMeta = { has_more: false, limit: 25 };
const ofPages = ({ named }: View) => ({ ...named, page_meta: pageMeta });

/** A list's reply, with one record as its example. */
export const listOf = (view: View): View => ({
  schema: Joi.object({ items: Joi.array().items(view.schema).required(), meta: pageMeta }),
  example: { items: [view.example], meta: exampleMeta },
  named: ofPages(view),
});

/** The same for contacts and their parts, which are wrapped. */
export const dataList = (view: View): View => ({
  schema: Joi.object({ data: Joi.array().items(view.schema).required(), meta: pageMeta }),
  example: { data: [view.example], meta: exampleMeta },
  named: ofPages(view),
});
