import Joi from 'joi';
import { AppError } from '../../src/platform/errors.ts';
import { isUuid } from '../../src/platform/ids.ts';
import type { Page, PageRows } from '../../src/platform/listing/paging.ts';
import { sha256 } from '../../src/platform/secrets.ts';
import { isMoment } from '../../src/platform/time/moment.ts';
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

const bindingOf = (scope: string, filters: object) =>
  sha256(JSON.stringify([scope, filters]))
    .toString('base64url')
    .slice(0, 12);

/** Where a page begins. A cursor of another list or other filters, or one we never gave, is a 400. */
export function keysetOf(scope: string, filters: object, { limit, cursor }: PageQuery): Keyset {
  if (cursor === undefined) return { limit };
  try {
    const [binding, createdAt, id] = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')) as string[];
    if (binding === bindingOf(scope, filters) && createdAt && id && isMoment(createdAt) && isUuid(id))
      return { limit, after: [createdAt, id] };
  } catch {
    // Falls through to the one answer for every cursor that is not ours.
  }
  throw new AppError('bad_request', 'The cursor is not valid for this list');
}

/** A page from one row more than asked for. */
export function pageOf<Row extends { id: string; created_at: string }>(
  scope: string,
  filters: object,
  page: PageQuery,
  rows: Row[],
  total?: number,
) {
  const shown = rows.slice(0, page.limit);
  const last = shown.at(-1);
  const hasMore = rows.length > page.limit;
  return {
    rows: shown,
    meta: {
      has_more: hasMore,
      limit: page.limit,
      ...(page.cursor && { cursor: page.cursor }),
      ...(hasMore &&
        last && {
          next_cursor: Buffer.from(JSON.stringify([bindingOf(scope, filters), last.created_at, last.id])).toString('base64url'),
        }),
      ...(total !== undefined && { total }),
    },
  };
}

/** The whole of a plain list's reply: where the page begins, its rows as the wire shows them, its meta. */
export async function listed<Row extends { id: string; created_at: string }>(
  scope: string,
  filters: object,
  query: PageQuery,
  read: (page: Page) => Promise<PageRows<Row>>,
  toView: (row: Row) => object,
): Promise<Reply> {
  const { rows, total } = await read({ ...keysetOf(scope, filters, query), includeTotal: query.include_total });
  const page = pageOf(scope, filters, query, rows, total);
  return ok({ items: page.rows.map(toView), meta: page.meta });
}

const exampleMeta = { has_more: false, limit: 25 };
const ofPages = ({ named }: View) => ({ ...named, page_meta: pageMeta });

/** A list's reply, with one record as its example. */
export const listOf = (view: View): View => ({
  schema: Joi.object({ items: Joi.array().items(view.schema).required(), meta: pageMeta }),
  example: { items: [view.example], meta: exampleMeta },
  named: ofPages(view),
});

/** The same, as contacts and what belongs to them come. */
export const dataList = (view: View): View => ({
  schema: Joi.object({ data: Joi.array().items(view.schema).required(), meta: pageMeta }),
  example: { data: [view.example], meta: exampleMeta },
  named: ofPages(view),
});
