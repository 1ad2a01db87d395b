import { type Position, positionOf } from './keyset.ts';
import type { Listing } from './listing.ts';
import { readPage } from './page.ts';
import type { Ask } from './paging.ts';
import type { ReadBounds } from './reads.ts';
import type { ListedTable } from './table.ts';

/** Keeps a connection only while `work` runs. */
export type AskOnce = <Result>(work: (ask: Ask) => Promise<Result>) => Promise<Result>;

/** Of one statement: no request waits for it, but it must end long before the statement timeout. */
const exportBounds: ReadBounds = { checks: 200_000, ms: 5_000 };

/** At most `size` records at a time, after `begin`; only one page is in memory. Each page is a statement of its own. */
export async function* pagesOf<Row extends object>(
  askOnce: AskOnce,
  table: ListedTable,
  organizationId: string,
  listing: Listing,
  { size = 500, begin }: { size?: number; begin?: Position } = {},
): AsyncGenerator<Row[]> {
  for (let after = begin; ; ) {
    const page = { limit: size, after };
    const { rows, end } = await askOnce((ask) => readPage<Row>(ask, table, organizationId, listing, page, exportBounds));
    const records = rows.slice(0, size);
    if (records.length > 0) yield records;
    if (rows.length <= size && !end) return;
    after = rows.length > size ? positionOf(listing.keys, records.at(-1)!) : end;
  }
}
