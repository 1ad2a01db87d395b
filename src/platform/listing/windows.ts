import { TooSlow } from './reads.ts';

export type Seen = { is_match: boolean; is_end: boolean };

/** `most`: records compared for a page; `ms`: the time limit of a statement. */
type Bounds = { limit: number; most: number; ms: number };

/** After this share of the time limit the page ends where it is. */
const enough = 0.5;
const firstWindow = 4;
const growth = 8;

/**
 * Compares records in growing windows until one row more than the limit is found, `most` are compared or half of the time limit has passed.
 * `read` gives the rows of a window that match, `wanted` at most, and its last one in any case.
 */
export async function readInWindows<Row extends object, Position>(
  { limit, most, ms }: Bounds,
  after: Position | undefined,
  read: (window: { after: Position | undefined; length: number; wanted: number }) => Promise<(Row & Seen)[]>,
  placeOf: (row: Row) => Position,
): Promise<{ rows: Row[]; end?: Position }> {
  const giveUpAt = performance.now() + ms * enough;
  const rows: Row[] = [];
  let left = Math.max(limit + 1, most);
  let position = after;
  for (let size = firstWindow * (limit + 1); ; size *= growth) {
    const length = Math.min(size, left);
    let found: (Row & Seen)[];
    try {
      found = await read({ after: position, length, wanted: limit + 1 - rows.length });
    } catch (error) {
      if (error instanceof TooSlow && position !== after) return { rows, end: position! };
      throw error;
    }
    rows.push(...found.filter(({ is_match }) => is_match));
    if (rows.length > limit || !found.at(-1)?.is_end) return { rows };
    left -= length;
    position = placeOf(found.at(-1)!);
    if (left === 0 || performance.now() > giveUpAt) return { rows, end: position };
  }
}
