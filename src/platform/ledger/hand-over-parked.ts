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
