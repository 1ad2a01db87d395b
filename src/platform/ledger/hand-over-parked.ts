import type { Database } from '../database/database.ts';
import { query } from '../database/query.ts';
import type { DispatchedRow } from './accept.ts';

/** SQL: a function of the database. At most `most` rows, `perSecond` of each organization and queue. */
export async function handOverParked(database: Database, perSecond: number, most: number): Promise<DispatchedRow[]> {
  const text = 'select * from hand_over_parked($1, $2)';
  const rows = await query<DispatchedRow>(database.em(), text, [perSecond, most]);
  const readAt = Date.now();
  return rows.map((row) => ({ ...row, read_at: readAt }));
}

/**
 * SQL: a function of the database. How many of the parked rows of automations, at most `most`, wait in their pools from now on: their time has come, and
 * their line had no place for them.
 */
export async function letParkedIntoPools(database: Database, most: number): Promise<number> {
  const [row] = await query<{ let_in: number }>(database.em(), 'select let_parked_into_pools($1) as let_in', [most]);
  return row!.let_in;
}
