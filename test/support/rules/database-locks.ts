import type { Em } from '../../../src/platform/database/database.ts';
import { query } from '../../../src/platform/database/query.ts';

/** How many connections to this database wait for a lock: of rows or tables, or (`advisory`) of a subject. */
export async function lockWaiters(em: Em, kind: 'any' | 'advisory' = 'any'): Promise<number> {
  const rows = await query(
    em,
    `select 1 from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and ($1 = 'any' or wait_event = $1)`,
    [kind],
  );
  return rows.length;
}
