import { setTimeout as sleep } from 'node:timers/promises';
import type { Database, Em } from '../database/database.ts';
import { query } from '../database/query.ts';
import type { RowOf } from '../database/tables.ts';
import type { DispatchedRow } from './accept.ts';
import { Pool } from './jobs.entity.ts';
import type { RunRef, Tx } from './tx.ts';

export const channelPool = (channelId: string) => `channel:${channelId}`;
export const endpointPool = (endpointId: string) => `endpoint:${endpointId}`;

type Limits = RowOf<typeof Pool, 'width' | 'rate'>;

/** SQL: an upsert, whose times and reserved room stay. */
const setPoolStatement = `
  insert into pools (id, width, rate)
  values ($1, $2, $3)
  on conflict (id) do update set width = excluded.width, rate = excluded.rate`;

/** Taken room stays taken. `rate` is per second; null: only the width counts. */
export async function setPool(em: Em, id: string, width: Limits['width'], rate: Limits['rate']) {
  await query(em, setPoolStatement, [id, width, rate]);
}

/** SQL: by the database's clock, and never shorter than the hold there is. */
const holdStatement = `
  update pools
     set held_until = greatest(held_until,
                               case when $2::float8 is null then 'infinity'
                                    else clock_timestamp() + $2::float8 * interval '1 ms' end)
   where id = $1`;

export async function holdPool(em: Em, id: string, ms: number | null) {
  await query(em, holdStatement, [id, ms]);
}

export async function letPoolGo(em: Em, id: string) {
  await em.nativeUpdate(Pool, { id }, { held_until: null });
}

/** SQL: a function of the database. Without patience, a pool that another transaction has locked gives nothing. */
export async function fillPool(database: Database, pool: string, isPatient = true): Promise<DispatchedRow[]> {
  const rows = await query<DispatchedRow>(database.em(), 'select * from fill_pool($1, $2)', [pool, isPatient]);
  const readAt = Date.now();
  return rows.map((row) => ({ ...row, read_at: readAt }));
}

/** SQL: a function of the database. False: the pool has no room. */
export async function takeRoom(database: Database, pool: string, { id, run }: RunRef): Promise<boolean> {
  const [row] = await query<{ has_room: boolean }>(database.em(), 'select take_room($1, $2, $3) as has_room', [pool, id, run]);
  return row?.has_room ?? false;
}

/** A paced pool whose plan reaches this far ahead waits a little: many finished runs share one fill. */
const farAheadMs = 200;
const farShareMs = 50;
/** Under load many commits and finished runs share one fill. */
const shareMs = 2;

/** Room of a full pool comes from an end, which asks for a fill itself: new rows that wait there share one look. */
const fullShareMs = 50;

type Running = { again: boolean; isJoined: boolean; done: Promise<void> };

export type Filler = {
  fill(pool: string): Promise<void>;
  fillOnce(pool: string): Promise<void>;
  /** For a new row that waits: at once, or soon where the last fill found no room. */
  join(pool: string): void;
};

/** One fill of a pool at a time; a request meanwhile repeats it. The sweeper repairs what a fault leaves. */
export function createFiller(
  database: Database,
  add: (rows: DispatchedRow[]) => Promise<void>,
  onFault: (error: unknown) => void,
): Filler {
  const running = new Map<string, Running>();
  const full = new Set<string>();

  async function give(pool: string, isPatient: boolean): Promise<DispatchedRow[]> {
    const rows = await fillPool(database, pool, isPatient);
    if (rows.length > 0) void add(rows).catch(onFault);
    return rows;
  }

  async function untilQuiet(pool: string, state: Running) {
    try {
      do {
        state.again = false;
        const rows = await give(pool, true);
        if (rows.length === 0 && state.isJoined) lookSoon(pool);
        if ((rows.at(-1)?.delay_ms ?? 0) > farAheadMs) await sleep(farShareMs);
        else if (state.again) await sleep(shareMs);
      } while (state.again);
    } catch (error) {
      onFault(error);
    } finally {
      running.delete(pool);
    }
  }

  /** An end may not have seen the new row, nor this fill the end: one more look, for all that came meanwhile. */
  function lookSoon(pool: string) {
    if (full.has(pool)) return;
    full.add(pool);
    setTimeout(() => {
      full.delete(pool);
      void fill(pool);
    }, fullShareMs).unref();
  }

  function fill(pool: string, isJoined = false): Promise<void> {
    const current = running.get(pool);
    if (current) {
      current.again = true;
      current.isJoined ||= isJoined;
      return current.done;
    }
    const state: Running = { again: false, isJoined, done: Promise.resolve() };
    running.set(pool, state);
    // Later requests share this fill, so its connection counts for no organization.
    state.done = database.onNobodysBehalf(() => untilQuiet(pool, state));
    return state.done;
  }

  return {
    fill: (pool) => fill(pool),
    async fillOnce(pool) {
      if (!running.has(pool)) await give(pool, false).catch(onFault);
    },
    join(pool) {
      if (!full.has(pool)) void fill(pool, true);
    },
  };
}

/** SQL: an upsert. */
const ensureStatement = `
  insert into pools (id, width)
  values ($1, $2)
  on conflict (id) do nothing`;

export async function ensurePool(tx: Pick<Tx, 'query'>, id: string, width: number) {
  await tx.query(ensureStatement, [id, width]);
}
