import { CompiledQuery } from 'kysely';
import type { Pool } from 'pg';
import { runBatch } from './batch.ts';
import type { Source } from './database.ts';

/** Outside a transaction a statement needs no layer above the driver's pool. */
const pools = new WeakMap<object, Pool>();
export const usePool = (connection: object, pool: Pool) => void pools.set(connection, pool);

/** SQL: until the end of the batch, which is a transaction. */
const planForValues = { text: `select set_config('plan_cache_mode', $1, true)`, params: ['force_custom_plan'] };

/** Planned for its values each time, about 0.3 ms: for a search. In a transaction it is prepared like every other. */
export async function queryPlanned<Row = Record<string, unknown>>(
  source: Source,
  text: string,
  params: unknown[],
): Promise<Row[]> {
  const pool = 'pool' in source ? source.pool : source.isInTransaction() ? undefined : pools.get(source.getConnection());
  if (!pool) return query<Row>(source, text, params);
  const [, rows] = await runBatch(pool, [planForValues, { text, params, isOnce: true }]);
  return rows as Row[];
}

export async function query<Row = Record<string, unknown>>(source: Source, text: string, params: unknown[] = []): Promise<Row[]> {
  if ('pool' in source) return (await source.pool.query(text, params)).rows;
  const pool = source.isInTransaction() ? undefined : pools.get(source.getConnection());
  const result = await (pool ? pool.query(text, params) : source.getKysely().executeQuery(CompiledQuery.raw(text, params)));
  return result.rows as Row[];
}
