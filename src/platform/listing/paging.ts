import type { Em } from '../database/database.ts';
import { query } from '../database/query.ts';

/** Runs a statement and gives its rows. */
export type Ask = <Row>(text: string, params: unknown[]) => Promise<Row[]>;

/** Where a page begins, how long it is, and whether all records are counted too. */
export type Page = { limit: number; after?: [createdAt: string, id: string]; includeTotal: boolean };
export type PageRows<Row> = { rows: Row[]; total?: number };

/**
 * A page of a plain list, newest first, one row more than asked for. `statement` is a select of one table with its where, `params` its
 * parameters; the order is by `created_at` and `id`.
 */
export const pageOfTable = <Row>(em: Em, statement: string, params: unknown[], page: Page): Promise<PageRows<Row>> =>
  pageAskedFor((text, values) => query(em, text, values), statement, params, page);

/** The same, where somebody else says how statements run. */
export async function pageAskedFor<Row>(
  ask: Ask,
  statement: string,
  params: unknown[],
  { limit, after, includeTotal }: Page,
): Promise<PageRows<Row>> {
  const next = params.length + 1;
  const beyond = after ? ` where (created_at, id) < ($${next + 1}::timestamptz, $${next + 2}::uuid)` : '';
  const rows = await ask<Row>(
    `select * from (${statement}) as listed${beyond} order by created_at desc, id desc limit $${next}`,
    [...params, limit + 1, ...(after ?? [])],
  );
  if (!includeTotal) return { rows };
  const [counted] = await ask<{ total: number }>(`select count(*)::int as total from (${statement}) as listed`, params);
  return { rows, total: counted?.total ?? 0 };
}
