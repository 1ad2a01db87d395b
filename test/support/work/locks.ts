import { query } from '../../../src/platform/database/query.ts';
import { type At, emOf } from './rows.ts';

/** The connections of the test's database that wait for a lock. `event` and `statement` are patterns of `like`. */
export async function lockWaiters(at: At, { event = '%', statement = '%' } = {}): Promise<number[]> {
  const rows = await query<{ pid: number }>(
    emOf(at),
    `select pid from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and wait_event like $1 and query like $2`,
    [event, statement],
  );
  return rows.map(({ pid }) => pid);
}

export const isLockAwaited = async (at: At, which?: { event?: string; statement?: string }): Promise<boolean> =>
  (await lockWaiters(at, which)).length > 0;

/** Ends a connection, as a network failure does. */
export const terminateConnection = (at: At, pid: number) => query(emOf(at), 'select pg_terminate_backend($1)', [pid]);
export const cancelStatement = (at: At, pid: number) => query(emOf(at), 'select pg_cancel_backend($1)', [pid]);
