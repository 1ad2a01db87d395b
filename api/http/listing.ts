import Joi from 'joi';
import { cursorOf } from '../../src/platform/listing/cursor.ts';
import { type Fields, fieldNames, sortableNames } from '../../src/platform/listing/fields.ts';
import { maxFilterBytes } from '../../src/platform/listing/filters.ts';
import { type Position, positionOf } from '../../src/platform/listing/keyset.ts';
import { beginOf, type Listing, type ListRequest } from '../../src/platform/listing/listing.ts';
import { operators } from '../../src/platform/listing/operators.ts';
import type { ListRows } from '../../src/platform/listing/page.ts';
import { maxSearchCharacters } from '../../src/platform/listing/search.ts';
import { metaOf, type PageQuery, pageQuery } from './paging.ts';

export type ListQuery = PageQuery & Omit<ListRequest, 'filters' | 'any'> & { filters?: string };

/** `usual`: the order when the query names none. */
export const listQuery = (fields: Fields, usual = '-created_at') => ({
  ...pageQuery,
  // It contains the values of the sort keys, such as names.
  cursor: pageQuery.cursor.max(8_192),
  sort: Joi.string()
    .trim()
    .max(200)
    .description(
      `Up to three of ${sortableNames(fields)
        .map((name) => `\`${name}\``)
        .join(', ')}, with \`-\` for descending; the default is \`${usual}\``,
    ),
  filters: Joi.string()
    .max(maxFilterBytes, 'utf8')
    .description(
      `A JSON array of \`{field, operator, value}\`, all of which must hold, up to 20 in 4 KB. Fields: ${fieldNames(fields)
        .map((name) => `\`${name}\``)
        .join(', ')}. Operators: ${operators
        .map((name) => `\`${name}\``)
        .join(
          ', ',
        )}; the default is \`eq\`. \`in\` and \`not_in\` take an array, \`between\` an array of two. A day as the value of a time is its beginning in UTC`,
    ),
  search: Joi.string()
    .trim()
    .allow('')
    .max(maxSearchCharacters)
    .description('Words, all of which must match; case and accents do not matter'),
});

export type Filter = { field: string; operator: string; value?: unknown };

/** One filter of a body. Which fields there are, and what each compares, says the list that reads it. */
export const bodyFilter = (fields: string) =>
  Joi.object<Filter>({
    field: Joi.string().max(256).required().description(fields),
    operator: Joi.string()
      .valid(...operators)
      .default('eq'),
    value: Joi.any().description('An array for `in` and `not_in`, of two for `between`; none for `is_empty` and `is_not_empty`'),
  });

/** A page may be short or empty when `read` had to stop before the list's end. */
export async function pageOfListing<Row extends object, Shown>(
  listing: Listing,
  query: PageQuery,
  read: (page: { limit: number; after?: Position; includeTotal: boolean }) => Promise<ListRows<Row>>,
  toView: (row: Row) => Shown,
) {
  const { limit, cursor } = query;
  const after = cursor === undefined ? undefined : beginOf(listing, cursor);
  const { rows, end, total } = await read({ limit, after, includeTotal: query.include_total });
  const shown = rows.slice(0, limit);
  const next = rows.length > limit ? positionOf(listing.keys, shown.at(-1)!) : end;
  return { rows: shown.map(toView), meta: metaOf(query, next && cursorOf(listing.binding, next), total) };
}
