import { query } from '../../../src/platform/database/query.ts';
import type { Database } from './rows.ts';

/** A statement of this test's database waits for a lock; with `text`, one that contains it. */
export async function waitsForLock(app: Database, text = ''): Promise<boolean> {
  const waiting = await query(
    app.em(),
    `select 1
       from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and position($1 in query) > 0`,
    [text],
  );
  return waiting.length > 0;
}
