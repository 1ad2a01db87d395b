import { CompiledQuery } from 'kysely';
import type { Pool } from 'pg';
import type { Source } from './database.ts';

/** The driver's pool by MikroORM's connection: outside a transaction a statement needs no layer above it. */
const pools = new WeakMap<object, Pool>();
/** From now on statements outside transactions use this pool. */
export const usePool = (connection: object, pool: Pool) => void pools.set(connection, pool);

/**
 * A statement planned for its values each time, at some 0.3 ms: where the best plan depends on them, as in a search. In a transaction it is
 * prepared like every other.
 */
export async function queryPlanned<Row = Record<string, unknown>>(
  source: Source,
  text: string,
  params: unknown[],
): Promise<Row[]> {
  const pool = 'pool' in source ? source.pool : source.isInTransaction() ? undefined : pools.get(source.getConnection());
  // As an object: PreparingClient gives a name to texts alone.
  return pool ? (await pool.query({ text, values: params })).rows : query<Row>(source, text, params);
}

/** One statement with $1, $2 … placeholders, in the EntityManager's transaction when it has one. */
export async function query<Row = Record<string, unknown>>(source: Source, text: string, params: unknown[] = []): Promise<Row[]> {
  if ('pool' in source) return (await source.pool.query(text, params)).rows;
  const pool = source.isInTransaction() ? undefined : pools.get(source.getConnection());
  const result = await (pool ? pool.query(text, params) : source.getKysely().executeQuery(CompiledQuery.raw(text, params)));
  return result.rows as Row[];
}
