import type { Source } from '../../src/platform/database/database.ts';
import { query } from '../../src/platform/database/query.ts';

/** The database's clock, in ms of the epoch. */
export async function databaseNow(source: Source): Promise<number> {
  const [row] = await query<{ ms: number }>(source, 'select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms');
  return row!.ms;
}

/**
 * The ms since then, by the database's clock. A time that lies ahead is nearer by as much when a slow machine reads it late: what is added to a lower bound
 * never makes a test fail.
 */
export async function databaseTimer(source: Source): Promise<() => Promise<number>> {
  const startedAt = await databaseNow(source);
  return async () => (await databaseNow(source)) - startedAt;
}
