import { setTimeout as sleep } from 'node:timers/promises';
import { benchRole, type Side, type Stage } from '../stage.ts';
import { cpuUsOf, familyCpuUs } from './cpu.ts';

/** In this order they stand in the tables. */
export const figureNames = [
  'commits',
  'writes',
  'statements',
  'walBytes',
  'heapBytes',
  'indexBytes',
  'web',
  'worker',
  'postgres',
  'redis',
] as const;
export type Figures = Record<(typeof figureNames)[number], number>;
export type By = { web?: number; worker?: number };
/** Told by a path: first of all processes while they have nothing to do, then when the work of a round begins and when it has ended. */
export type Meter = { rest(sides: [Side, By][]): Promise<void>; begin(side: Side): Promise<void>; end(): Promise<void> };

export const settings = {
  shared_preload_libraries: 'pg_stat_statements',
  // One in the midst of a measurement would write each page once more.
  checkpoint_timeout: '1h',
};

/** Until each session has told what it committed: one that is idle does so 10 s after its last statement. */
const reportedMs = 11_000;
const idleMs = 10_000;

const figuresStatement = `
  select d.xact_commit::float8 as commits,
         pg_snapshot_xmax(pg_current_snapshot())::text::float8 as writes,
         (select coalesce(sum(s.calls), 0)::float8
            from pg_stat_statements s
           where s.dbid = d.datid and s.userid <> (select oid from pg_roles where rolname = '${benchRole}')) as statements,
         (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::float8 as wal_bytes,
         (select sum(pg_table_size(c.oid))::float8 from pg_class c where c.relkind in ('r', 'm')) as heap_bytes,
         (select sum(pg_indexes_size(c.oid))::float8 from pg_class c where c.relkind in ('r', 'm')) as index_bytes
    from pg_stat_database d
   where d.datname = current_database()`;

export const eachOf = (figures: Figures, among: number): Figures =>
  Object.fromEntries(figureNames.map((name) => [name, figures[name] / among])) as Figures;

type Snapshot = Figures & { at: number };

async function snapshotOf({ servers }: Stage, { sql }: Side, by: By, isEnd: boolean): Promise<Snapshot> {
  const cpu = () => ({
    web: by.web ? cpuUsOf(by.web) : 0,
    worker: by.worker ? cpuUsOf(by.worker) : 0,
    postgres: familyCpuUs(servers.postgres),
    redis: servers.redis ? cpuUsOf(servers.redis) : 0,
    at: performance.now(),
  });
  // What the question itself costs lies outside.
  const before = isEnd ? cpu() : undefined;
  const { rows } = await sql.query(figuresStatement);
  const { commits, writes, statements, wal_bytes: walBytes, heap_bytes: heapBytes, index_bytes: indexBytes } = rows[0];
  return { commits, writes, statements, walBytes, heapBytes, indexBytes, ...(before ?? cpu()) };
}

const difference = (from: Snapshot, to: Snapshot, of: (name: keyof Figures) => number = () => 0): Figures =>
  Object.fromEntries(figureNames.map((name) => [name, to[name] - from[name] - of(name)])) as Figures;

export type MeasuredRound = { idleASecond: Figures; figures: Figures };

/** What the work between `begin` and `end` took, without what the same processes take when there is nothing to do. */
export async function openMeter(stage: Stage): Promise<Meter & { take(): MeasuredRound }> {
  for (const { sql } of [stage.kanal, stage.floor]) await sql.query('create extension if not exists pg_stat_statements');
  const rested = new Map<Side, { by: By; idleASecond: Figures }>();
  let began: { side: Side; snapshot: Snapshot } | undefined;
  let last: MeasuredRound | undefined;

  return {
    async rest(sides) {
      await sleep(reportedMs);
      const from = await Promise.all(sides.map(([side, by]) => snapshotOf(stage, side, by, false)));
      await sleep(idleMs);
      for (const [index, [side, by]] of sides.entries()) {
        const to = await snapshotOf(stage, side, by, true);
        const seconds = (to.at - from[index]!.at) / 1000;
        const idle = difference(from[index]!, to);
        rested.set(side, { by, idleASecond: eachOf(idle, seconds) });
      }
    },
    async begin(side) {
      began = { side, snapshot: await snapshotOf(stage, side, rested.get(side)!.by, false) };
    },
    async end() {
      const { side, snapshot } = began!;
      const { by, idleASecond } = rested.get(side)!;
      await sleep(reportedMs);
      const to = await snapshotOf(stage, side, by, true);
      const seconds = (to.at - snapshot.at) / 1000;
      last = { idleASecond, figures: difference(snapshot, to, (name) => idleASecond[name] * seconds) };
    },
    take() {
      if (!last) throw new Error('Nothing was measured');
      const round = last;
      last = undefined;
      return round;
    },
  };
}
