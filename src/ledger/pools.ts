import { type Database, type Em, query } from '../database.ts';
import type { HandedRow } from './accept.ts';
import type { RunRef } from './release.ts';

/** Slots are given out at 95 % of the allowed rate: what starts late must not push a later second over it. */
const step = `interval '1 s' / (p.rate * 0.95)`;

export const channelPool = (channelId: string) => `channel:${channelId}`;
export const endpointPool = (endpointId: string) => `endpoint:${endpointId}`;

/** Creates a pool or changes its measures; what is reserved stays reserved. `rate` is a second, null: only the width counts. */
export async function setPool(em: Em, id: string, width: number, rate: number | null) {
  await query(
    em,
    'insert into pools (id, width, rate) values ($1, $2, $3) on conflict (id) do update set width = excluded.width, rate = excluded.rate',
    [id, width, rate],
  );
}

/** Nothing of the pool runs until `ms` from now have passed; null: until it is let go. A longer hold is not shortened. */
export async function holdPool(em: Em, id: string, ms: number | null) {
  await query(
    em,
    `update pools set held_until = greatest(held_until, case when $2::float8 is null then 'infinity' else clock_timestamp() + $2::float8 * interval '1 ms' end) where id = $1`,
    [id, ms],
  );
}

export async function letPoolGo(em: Em, id: string) {
  await query(em, 'update pools set held_until = null where id = $1', [id]);
}

// Two statements in one short transaction: the pool's row first, then its jobs, with SKIP LOCKED so that no finish is waited for.
const lockPool = 'select 1 from pools where id = $1 for no key update';
const giveRoom = `
  with p as (
    select *, width - (select count(*)::int from jobs where pool = $1 and state = 'queued' and slot_at is not null) as n, greatest(coalesce(tat, '-infinity'), clock_timestamp()) as t0
      from pools where id = $1 and coalesce(held_until, '-infinity') <= clock_timestamp()),
  k as materialized (
    select array(select id from jobs where pool = $1 and state = 'waiting' and run_at <= clock_timestamp() + interval '1 s'
                  order by seq limit greatest(0, (select n from p)) for no key update skip locked) as ids),
  t as (
    update pools set tat = p.t0 + cardinality(k.ids) * ${step} from p, k where pools.id = $1 and p.rate is not null and cardinality(k.ids) > 0)
  update jobs j set state = 'queued', slot_at = s.slot, run_at = greatest(j.run_at, s.slot), check_at = greatest(j.run_at, s.slot) + interval '5 s'
    from p, k, unnest(k.ids) with ordinality as x(id, i), lateral (select p.t0 + coalesce((x.i - 1) * ${step}, interval '0') as slot) s
   where j.id = x.id
  returning j.id, j.run, j.queue, j.name, greatest(0, extract(epoch from j.run_at - clock_timestamp()) * 1000)::float8 as delay_ms`;

/** Gives a pool's room to its waiting rows, in order, each with the time of its slot. Returns what goes to BullMQ now. */
export async function fillPool(database: Database, pool: string): Promise<HandedRow[]> {
  return database.transaction(async (em) => {
    await query(em, lockPool, [pool]);
    const rows = await query<HandedRow>(em, giveRoom, [pool]);
    const readAt = Date.now();
    return rows.map((row) => ({ ...row, read_at: readAt }));
  });
}

/**
 * A slot for a run that has none or is late for its own. Undefined: the pool has no room. Else the milliseconds until the slot.
 */
export async function reserveSlot(database: Database, pool: string, { id, run }: RunRef): Promise<number | undefined> {
  return database.transaction(async (em) => {
    await query(em, lockPool, [pool]);
    const [row] = await query<{ early_ms: number }>(
      em,
      `with p as (
         select *, greatest(coalesce(tat, '-infinity'), clock_timestamp()) as t0,
                (select count(*)::int from jobs where pool = $1 and state = 'queued' and slot_at is not null and id <> $2) as used from pools where id = $1),
       j as (
         update jobs set slot_at = p.t0, run_at = greatest(run_at, p.t0), check_at = greatest(run_at, p.t0) + interval '5 s' from p
          where jobs.id = $2 and jobs.run = $3 and jobs.state = 'queued' and p.used < p.width
         returning greatest(0, extract(epoch from jobs.run_at - clock_timestamp()) * 1000)::float8 as early_ms),
       t as (update pools set tat = p.t0 + ${step} from p where pools.id = $1 and p.rate is not null and exists (select 1 from j))
       select early_ms from j`,
      [pool, id, run],
    );
    return row?.early_ms;
  });
}

/** One fill a pool at a time in this process; asked meanwhile, it runs once more. Faults are the sweeper's to mend. */
export function createFiller(database: Database, add: (rows: HandedRow[]) => Promise<void>, onFault: (error: unknown) => void) {
  const running = new Map<string, { again: boolean; done: Promise<void> }>();
  return function fill(pool: string): Promise<void> {
    const current = running.get(pool);
    if (current) {
      current.again = true;
      return current.done;
    }
    const state = { again: false, done: Promise.resolve() };
    state.done = (async () => {
      try {
        do {
          state.again = false;
          const rows = await fillPool(database, pool);
          if (rows.length > 0) void add(rows).catch(onFault);
        } while (state.again);
      } catch (error) {
        onFault(error);
      } finally {
        running.delete(pool);
      }
    })();
    running.set(pool, state);
    return state.done;
  };
}
