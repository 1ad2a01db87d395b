import type { Runs } from '../database/own.ts';
import { pagesOf, timeShares } from '../load/shares.ts';
import type { PageRows } from './paging.ts';

/** Of the rows of a page of which each may be large, as JSON; most have a few kB. */
export const maxPageBytes = 2 * 1024 * 1024;

/** What it takes to read rows, to show them and to write them as JSON, in ms. */
const msPerByte = 20 / 2 ** 20;
/** Of a page. A hundred ordinary rows have less. */
const freeBytes = 512 * 1024;

/** For the description of such a list. `what`: of a row, what may be large. */
export const pageBytesNote = (what: string) =>
  `A page ends before its limit where its ${what} have more than ${maxPageBytes / 2 ** 20} MiB: read on while \`has_more\`.`;

/** A row of the list, and how large it is. */
export type SizedRow = { id: string; created_at: string; bytes: number };

/**
 * A page that ends before the row which would make it larger than `maxPageBytes`; it has one row at least. What it costs is charged to the organization.
 * `whole`: the rows of these ids, in the order of the list.
 */
export async function pageWithinBytes<Row>(
  { organizationId }: Runs,
  { rows: found, ...rest }: PageRows<SizedRow>,
  limit: number,
  whole: (ids: string[]) => Promise<Row[]>,
): Promise<PageRows<Row>> {
  const taken = withinBytes(found.slice(0, limit));
  const last = taken.at(-1);
  const bytes = taken.reduce((sum, row) => sum + row.bytes, 0);
  timeShares.charge(pagesOf(organizationId), (bytes - freeBytes) * msPerByte);
  const rows = last ? await whole(taken.map(({ id }) => id)) : [];
  return { rows, ...rest, ...(last && taken.length < found.length && { end: [last.created_at, last.id] }) };
}

function withinBytes(rows: SizedRow[]): SizedRow[] {
  let bytes = 0;
  const beyond = rows.findIndex((row, index) => {
    bytes += row.bytes;
    return index > 0 && bytes > maxPageBytes;
  });
  return beyond < 0 ? rows : rows.slice(0, beyond);
}
