import { query } from '../../src/platform/database/query.ts';
import type { RunContext } from '../handler.ts';

/** Before the provider is asked: what is written here after it is newer than its answer. */
export async function databaseTime({ database }: RunContext<unknown>): Promise<string> {
  // SQL: the database's clock.
  const [time] = await query<{ at: string }>(database, 'select clock_timestamp()::text as at');
  return time!.at;
}
