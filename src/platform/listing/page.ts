import { bindTo } from './bind.ts';
import { type Position, positionOf } from './keyset.ts';
import { type Listing, listingSql } from './listing.ts';
import { type Ask, preparedLimits } from './paging.ts';
import type { ReadBounds, Reads } from './reads.ts';
import { sortColumnsSql, sortedAgainSql } from './sort.ts';
import { commonSql, type ListedTable } from './table.ts';
import { keysWithout, readBothParts, shownValue } from './value-order.ts';
import { comparedOf, idsFound, maxFound, searchesOf, withoutWideRanges } from './wide.ts';
import { readInWindows } from './windows.ts';

export type ListPage = { limit: number; after?: Position };
/** One row more than the limit when there are more. `end`: where to continue when not all could be read. */
export type ListRows<Row> = { rows: Row[]; end?: Position; total?: number };

/** Of a table of which one index has all of an organization's rows in this order. */
const isInUsualOrder = ({ usual = 'created_at' }: ListedTable, { keys }: Listing) =>
  keys.every(({ name }) => name === usual || name === 'id');

/** A search, a filter or a count takes a place of the organization's share. */
export async function listRows<Row extends object>(
  reads: Reads,
  table: ListedTable,
  organizationId: string,
  listing: Listing,
  { includeTotal = false, ...page }: ListPage & { includeTotal?: boolean },
): Promise<ListRows<Row>> {
  const read = (ask: Ask, asked = listing) => readFoundPage<Row>(ask, table, organizationId, asked, page, reads.bounds);
  const readSettled = async (ask: Ask) => read(ask, await withoutWideRanges(ask, organizationId, listing));
  const isPlain = listing.conditions.length + listing.groups.length + listing.words.length === 0 && !listing.value;
  if (!includeTotal && isPlain && isInUsualOrder(table, listing) && preparedLimits.includes(page.limit)) {
    const { text, params } = pageStatement(table, organizationId, listing, { ...page, limit: page.limit + 1, isFixed: true });
    return { rows: await reads.prepared<Row>(text, params) };
  }
  if (!includeTotal && isPlain) return read(reads.plain);
  return reads.dear(organizationId, async (ask) => {
    if (!includeTotal) return readSettled(ask);
    // The total first: without it the page is of no use, and a statement cut by its time limit ends the work.
    const total = await countRows(ask, table, organizationId, listing);
    return { ...(await readSettled(ask)), total };
  });
}

/** Times the rows of a page: so many records of a list are compared before another table is searched. */
const begunWith = 32;

/**
 * Where an index of another table finds records, the planner knows neither how many they are nor where they stand in the list: it sorts all
 * of a common tag, or walks the whole list for a rare name. So the list is begun; what its first records do not fill is found in the
 * other table, up to a bound, or is common and further on in the list.
 */
async function readFoundPage<Row extends object>(
  ask: Ask,
  table: ListedTable,
  organizationId: string,
  listing: Listing,
  page: ListPage,
  bounds: ReadBounds,
): Promise<ListRows<Row>> {
  const searches = listing.value ? [] : searchesOf(table.fields, listing);
  if (searches.length === 0) return readPage(ask, table, organizationId, listing, page, bounds);
  const read = (asked: Listing, { limit, after }: ListPage, checks: number) =>
    readPage<Row>(ask, table, organizationId, asked, { limit, after }, { ...bounds, checks });
  const compared = comparedOf(table.fields, listing);
  const first = Math.min(bounds.checks, begunWith * (page.limit + 1) * compared.unindexed);
  const left = bounds.checks - first;
  const begun = await read(compared, page, first);
  if (!begun.end) return begun;
  for (const search of searches) {
    const { count, ids } = await idsFound(ask, organizationId, search);
    if (count <= maxFound) return read({ ...search.without(compared), found: { column: search.column, ids } }, page, left);
  }
  const { rows, end } = await read(compared, { limit: page.limit - begun.rows.length, after: begun.end }, left);
  return { rows: [...begun.rows, ...rows], ...(end && { end }) };
}

/** Without unindexed conditions one statement; else in windows of records, `checks` at most. */
export async function readPage<Row extends object>(
  ask: Ask,
  table: ListedTable,
  organizationId: string,
  listing: Listing,
  { limit, after }: ListPage,
  bounds: ReadBounds,
): Promise<ListRows<Row>> {
  const { value } = listing;
  if (value && !value.part)
    return readBothParts<Row>({ limit, after }, (part, page) => {
      const isWith = part === 'with';
      const one = { ...listing, value: { ...value, part }, keys: isWith ? listing.keys : keysWithout(value) };
      return readPage(ask, table, organizationId, isWith ? one : { ...one, unindexed: one.unindexed + 1 }, page, bounds);
    });
  const { checks, ms } = bounds;
  const { unindexed } = listing;
  if (unindexed === 0) {
    const { text, params } = pageStatement(table, organizationId, listing, { limit: limit + 1, after });
    return { rows: await ask<Row>(text, params) };
  }
  return readInWindows<Row, Position>(
    { limit, most: Math.floor(checks / unindexed), ms },
    after,
    ({ after: position, length, wanted }) => {
      const { text, params } = windowStatement(table, organizationId, listing, { limit: wanted, after: position }, length);
      return ask(text, params);
    },
    (row) => positionOf(listing.keys, row),
  );
}

/**
 * SQL (all of this file): the client's filters, words and order decide the statement, which is planned for its values. `isFixed`: the limit
 * stands in the text, so that a plan for any values knows that few rows are wanted.
 */
export function pageStatement(
  table: ListedTable,
  organizationId: string,
  listing: Listing,
  { limit, after, isFixed = false }: ListPage & { isFixed?: boolean },
) {
  const params: unknown[] = [organizationId];
  const bind = bindTo(params);
  const { from, where, rest, orderBy } = listingSql(table, listing, bind, after);
  const text = `
    select ${table.columns}${listing.value ? shownValue(listing.value, listing.keys[0]!.sql) : ''}
      from ${table.name} k${from}
     where k.organization_id = $1${commonSql(table, bind)}${where}${rest}
     order by ${orderBy}
     limit ${isFixed ? limit : bind(limit)}`;
  return { text, params };
}

/** The order is written twice: the planner sees that it is the same, does not sort, and stops at a full page. */
function windowStatement(
  table: ListedTable,
  organizationId: string,
  listing: Listing,
  { limit, after }: ListPage,
  length: number,
) {
  const params: unknown[] = [organizationId];
  const bind = bindTo(params);
  const { from, where, rest, orderBy } = listingSql(table, listing, bind, after);
  const shown = listing.value ? shownValue(listing.value, 'k.sorted_by_sort_value') : '';
  const last = bind(length);
  const matches = `(true${rest})`;
  const text = `
    select ${table.columns}${shown}, ${matches} as is_match, k.place = ${last} as is_end
      from (select k.*, ${sortColumnsSql(listing.keys)}, row_number() over (order by ${orderBy}) as place
              from ${table.name} k${from}
             where k.organization_id = $1${commonSql(table, bind)}${where}
             order by ${orderBy}
             limit ${last}) k
     where ${matches} or k.place = ${last}
     order by ${sortedAgainSql(listing.keys)}
     limit ${bind(limit)}`;
  return { text, params };
}

async function countRows(ask: Ask, table: ListedTable, organizationId: string, listing: Listing): Promise<number> {
  const params: unknown[] = [organizationId];
  const bind = bindTo(params);
  const { from, where, rest } = listingSql(table, listing, bind);
  const text = `
    select count(*)::int as total
      from ${table.name} k${from}
     where k.organization_id = $1${commonSql(table, bind)}${where}${rest}`;
  const [counted] = await ask<{ total: number }>(text, params);
  return counted?.total ?? 0;
}
