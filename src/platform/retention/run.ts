import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../config/config.ts';
import type { Database } from '../database/database.ts';
import { query } from '../database/query.ts';
import type { RowOf } from '../database/tables.ts';
import type { After, Deleted, Purge } from './purge.ts';
import type { PurgeRun } from './purge-run.entity.ts';

export type PurgeOptions = {
  config: Config;
  database: Database;
  isStopping(): boolean;
  onDeleted?(deleted: Deleted): void;
  batch?: number;
  pauseMs?: number;
  /** The rest is deleted once the other purges that are due had their turn. */
  budgetMs?: number;
};

/** Longer than a purge may take: one that died with its worker is due again then. */
const lease = `interval '5 min'`;

/** SQL: an upsert that takes the purge only when it is due. */
const claimStatement = `
  insert into purges (table_name, started_at, next_at)
  values ($1, clock_timestamp(), clock_timestamp() + ${lease})
  on conflict (table_name) do update set started_at = excluded.started_at, next_at = excluded.next_at
   where purges.next_at <= clock_timestamp()
  returning 1`;

/** SQL: times by the database's clock. */
const finishStatement = `
  update purges
     set next_at = clock_timestamp() + case when $2 then $5::int * interval '1 hour' else interval '0' end,
         finished_at = case when $2 then clock_timestamp() else finished_at end,
         deleted = deleted + $3,
         position = $4
   where table_name = $1`;

/** Where each step goes on: a run that began again at the oldest rows would never come past many that must be kept. */
type Position = Record<number, After>;

/** SQL: as its neighbours. */
const positionStatement = `
  select position
    from purges
   where table_name = $1`;

/** No leader: the database knows when the purge last ran. Two at once do no harm: each skips the other's locked rows. */
export async function claimPurge(database: Database, table: string): Promise<boolean> {
  const rows = await query(database.em(), claimStatement, [table]);
  return rows.length > 0;
}

export async function runPurge(purge: Purge, options: PurgeOptions): Promise<{ deleted: Deleted; isOver: boolean }> {
  const deleted: Deleted = Object.fromEntries(purge.tables.map((table) => [table, 0]));
  const { budgetMs = 20_000 } = options;
  const deadline = performance.now() + budgetMs;
  const [run] = await query<RowOf<typeof PurgeRun, 'position'>>(options.database.em(), positionStatement, [purge.table]);
  const position: Position = {};
  let isOver = true;
  for (const [index, step] of purge.steps.entries()) {
    const ended = await runStep(step, options, deadline, deleted, run?.position?.[index]);
    if (ended.isOver) continue;
    isOver = false;
    if (ended.last) position[index] = ended.last;
  }
  const total = Object.values(deleted).reduce((sum, count) => sum + count, 0);
  await query(options.database.em(), finishStatement, [
    purge.table,
    isOver,
    total,
    isOver ? null : position,
    purge.everyHours ?? 1,
  ]);
  return { deleted, isOver };
}

async function runStep(
  { days, batch }: Purge['steps'][number],
  { config, database, isStopping, onDeleted, batch: size = 1_000, pauseMs = 100 }: PurgeOptions,
  deadline: number,
  deleted: Deleted,
  after?: After,
): Promise<{ isOver: boolean; last?: After }> {
  let reached = after;
  while (!isStopping() && performance.now() < deadline) {
    const { deleted: now, isLast, last } = await batch(database.em(), days(config), size, reached);
    for (const [table, count] of Object.entries(now)) deleted[table] = (deleted[table] ?? 0) + count;
    onDeleted?.(now);
    if (isLast) return { isOver: true };
    reached = last;
    await sleep(pauseMs);
  }
  return { isOver: false, last: reached };
}
