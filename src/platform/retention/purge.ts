import type { Config } from '../config/config.ts';
import type { Em } from '../database/database.ts';
import { query } from '../database/query.ts';

/** Rows deleted, by table. */
export type Deleted = Record<string, number>;
export type Batch = {
  deleted: Deleted /** Nothing, or nothing that can be had, is left. */;
  isLast: boolean /** Where the next one begins. */;
  last?: string;
};

/** What leaves one table after its time. A step deletes one batch, in a transaction of its own: no lock is held for long. */
export type Purge = {
  /** Its name in `purges`. */
  table: string;
  /** Tables that lose rows by it. */
  tables: string[];
  steps: { days: (config: Config) => number; batch(em: Em, days: number, limit: number, after?: string): Promise<Batch> }[];
};

/** The age every statement measures against, $1 in days. The database's clock, of the statement: a volatile one would use no index. */
export const limitOfAge = `statement_timestamp() - $1::float8 * interval '1 day'`;

/**
 * The oldest rows of one table, $2 at most, or `most`. What somebody else has locked is passed over and goes next time. `= any(array(…))`: an
 * `in (… limit …)` would scan the table.
 */
export const deleteOldest = (
  table: string,
  { key = 'id', age, where = 'true', most }: { key?: string; age: string; where?: string; most?: number },
) => {
  const statement = `
    with gone as (
      delete from ${table} where ${key} = any(array(
        select ${key} from ${table} where ${where} and ${age} < ${limitOfAge} order by ${age} limit $2 for update skip locked)) returning 1)
    select count(*)::int as deleted from gone`;
  return async (em: Em, days: number, limit: number): Promise<Batch> => {
    const size = Math.min(limit, most ?? limit);
    const [row] = await query<{ deleted: number }>(em, statement, [days, size]);
    return { deleted: { [table]: row!.deleted }, isLast: row!.deleted < size };
  };
};
