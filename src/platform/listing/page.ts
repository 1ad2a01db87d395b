import { bindTo } from './bind.ts';
import type { Fields } from './fields.ts';
import { type Position, positionOf } from './keyset.ts';
import { type Listing, listingSql } from './listing.ts';
import type { Ask } from './paging.ts';
import type { ReadBounds, Reads } from './reads.ts';
import { sortColumnsSql, sortedAgainSql } from './sort.ts';
import { readInWindows } from './windows.ts';

/** Its alias in the statements is `k`; it has `organization_id`. */
export type ListedTable = { name: string; fields: Fields; columns: string };

export type ListPage = { limit: number; after?: Position };
/** One row more than the limit when there are more. `end`: where to continue when not all could be read. */
export type ListRows<Row> = { rows: Row[]; end?: Position; total?: number };

/** A search, a filter or a count takes a place of the organization's share. */
export async function listRows<Row extends object>(
  reads: Reads,
  table: ListedTable,
  organizationId: string,
  listing: Listing,
  { includeTotal = false, ...page }: ListPage & { includeTotal?: boolean },
): Promise<ListRows<Row>> {
  const read = (ask: Ask) => readPage<Row>(ask, table, organizationId, listing, page, reads.bounds);
  if (!includeTotal && listing.conditions.length + listing.words.length === 0) return read(reads.plain);
  return reads.dear(organizationId, async (ask) => {
    if (!includeTotal) return read(ask);
    // The total first: without it the page is of no use, and a statement cut by its time limit ends the work.
    const total = await countRows(ask, table, organizationId, listing);
    return { ...(await read(ask)), total };
  });
}

/** Without unindexed conditions one statement; else in windows of records, `checks` at most. */
export async function readPage<Row extends object>(
  ask: Ask,
  table: ListedTable,
  organizationId: string,
  listing: Listing,
  { limit, after }: ListPage,
  { checks, ms }: ReadBounds,
): Promise<ListRows<Row>> {
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

/** SQL (all of this file): the client's filters, words and order decide the statement, which is planned for its values. */
export function pageStatement(table: ListedTable, organizationId: string, listing: Listing, { limit, after }: ListPage) {
  const params: unknown[] = [organizationId];
  const bind = bindTo(params);
  const { where, rest, orderBy } = listingSql(table.fields, listing, bind, after);
  const text = `
    select ${table.columns}
      from ${table.name} k
     where k.organization_id = $1${where}${rest}
     order by ${orderBy}
     limit ${bind(limit)}`;
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
  const { where, rest, orderBy } = listingSql(table.fields, listing, bind, after);
  const last = bind(length);
  const matches = `(true${rest})`;
  const text = `
    select ${table.columns}, ${matches} as is_match, k.place = ${last} as is_end
      from (select k.*, ${sortColumnsSql(listing.keys)}, row_number() over (order by ${orderBy}) as place
              from ${table.name} k
             where k.organization_id = $1${where}
             order by ${orderBy}
             limit ${last}) k
     where ${matches} or k.place = ${last}
     order by ${sortedAgainSql(listing.keys)}
     limit ${bind(limit)}`;
  return { text, params };
}

async function countRows(ask: Ask, table: ListedTable, organizationId: string, listing: Listing): Promise<number> {
  const params: unknown[] = [organizationId];
  const { where, rest } = listingSql(table.fields, listing, bindTo(params));
  const text = `
    select count(*)::int as total
      from ${table.name} k
     where k.organization_id = $1${where}${rest}`;
  const [counted] = await ask<{ total: number }>(text, params);
  return counted?.total ?? 0;
}
