import { type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import type { Runs, Select } from '../database/own.ts';
import { type Compilable, statement } from '../database/statement.ts';
import { bindTo } from './bind.ts';

export type Ask = <Row>(text: string, params: unknown[]) => Promise<Row[]>;

/** Of the pages that are prepared. Few texts, since each connection keeps each of them: the usual size and the largest one. */
export const preparedLimits = [25, 100];

export type Page = { limit: number; after?: [createdAt: string, id: string]; includeTotal: boolean };
/** `end`: where the next page begins when not all could be read for this one. */
export type PageRows<Row> = { rows: Row[]; total?: number; end?: [createdAt: string, id: string] };

/**
 * A page of a plain list, newest first, one row more than the limit. `statement` is a select of one table with its where, which `ask` runs.
 * SQL: it wraps a select that its caller wrote as text.
 */
export async function pageAskedFor<Row>(
  ask: Ask,
  statement: string,
  params: unknown[],
  { limit, after, includeTotal }: Page,
): Promise<PageRows<Row>> {
  const values = [...params];
  const bind = bindTo(values);
  const size = bind(limit + 1);
  const beyond = after ? `where (created_at, id) < (${bind(after[0])}::timestamptz, ${bind(after[1])}::uuid)` : '';
  const text = `
    select *
      from (${statement}) as listed
    ${beyond}
     order by created_at desc, id desc
     limit ${size}`;
  const rows = await ask<Row>(text, values);
  if (!includeTotal) return { rows };
  const count = `
    select count(*)::int as total
      from (${statement}) as listed`;
  const [counted] = await ask<{ total: number }>(count, params);
  return { rows, total: counted?.total ?? 0 };
}

type Shown = { id: string; created_at: string };

/** Compiled once a process; one row more than the limit, newest first. `build` has conditions and no order. */
export function list<Params extends object, Row extends Shown>(
  build: (select: Select, params: Params) => SelectQueryBuilder<never, never, Row>,
  { createdAt: createdAtName = 'created_at', id: idName = 'id' }: { createdAt?: string; id?: string } = {},
) {
  const [createdAtColumn, idColumn] = [sql.ref(createdAtName), sql.ref(idName)];
  const rows = (select: Select, params: Params & { limit: number }) =>
    build(select, params).orderBy(createdAtColumn, 'desc').orderBy(idColumn, 'desc').limit(params.limit);
  const first = statement<Params & { limit: number }, Row>(rows);
  const next = statement<Params & { limit: number; createdAt: string; id: string }, Row>((select, params) =>
    rows(select, params).where(
      sql<SqlBool>`(${createdAtColumn}, ${idColumn}) < (${params.createdAt}::timestamptz, ${params.id}::uuid)`,
    ),
  );
  const count = statement<Params, { total: number }>((select, params) =>
    build(select, params).clearSelect().select(sql<number>`count(*)::int`.as('total')),
  );
  return async (own: Runs, params: Params, { limit, after, includeTotal }: Page): Promise<PageRows<Row>> => {
    const [createdAt, id] = after ?? [];
    const asked = { ...params, limit: limit + 1 };
    const found = createdAt && id ? await next(own, { ...asked, createdAt, id }) : await first(own, asked);
    if (!includeTotal) return { rows: found };
    const [counted] = await count(own, params);
    return { rows: found, total: counted?.total ?? 0 };
  };
}

export function pageOfQuery<Row>(ask: Ask, query: Compilable<Row>, page: Page): Promise<PageRows<Row>> {
  const { sql: text, parameters } = query.compile();
  return pageAskedFor(ask, text, [...parameters], page);
}
