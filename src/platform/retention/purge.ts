import type { Config } from '../config/config.ts';
import type { Em } from '../database/database.ts';
import { query } from '../database/query.ts';

export type Deleted = Record<string, number>;
export type Batch = {
  deleted: Deleted;
  isLast: boolean;
  last?: After;
};

/** The last row that a batch read: the next begins behind it. */
export type After = { organization_id: string; id: string };

/** A step deletes one batch in its own transaction: no lock is held for long. */
export type Purge = {
  table: string;
  tables: string[];
  /** Between two whole purges. Default: one. */
  everyHours?: number;
  steps: { days: (config: Config) => number; batch(em: Em, days: number, limit: number, after?: After): Promise<Batch> }[];
};

/** $1 in days. The statement's time: a volatile clock would use no index. */
export const limitOfAge = `statement_timestamp() - $1::float8 * interval '1 day'`;

/** SQL: a set that skips locked rows until next time. `= any(array(…))`: an `in (… limit …)` would scan the table. */
export const deleteOldest = (
  table: string,
  { age, where = 'true', maxRows }: { age: string; where?: string; maxRows?: number },
) => {
  const statement = `
    with deleted as (
      delete from ${table}
       where ctid = any(array(
         select ctid from ${table}
          where ${where} and ${age} < ${limitOfAge}
          order by ${age}
          limit $2
          for update skip locked))
      returning 1)
    select count(*)::int as deleted from deleted`;
  return async (em: Em, days: number, limit: number): Promise<Batch> => {
    const size = Math.min(limit, maxRows ?? limit);
    const [row] = await query<{ deleted: number }>(em, statement, [days, size]);
    return { deleted: { [table]: row!.deleted }, isLast: row!.deleted < size };
  };
};
