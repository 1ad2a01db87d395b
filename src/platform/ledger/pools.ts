import { setTimeout as sleep } from 'node:timers/promises';
import type { Database, Em, Source } from '../database/database.ts';
import type { Own } from '../database/own.ts';
import { query } from '../database/query.ts';
import type { RowOf } from '../database/tables.ts';
import type { DispatchedRow, JoinedPool, PoolRef } from './accept.ts';
import { Pool } from './jobs.entity.ts';
import type { RunRef, Tx } from './tx.ts';

export const poolOf = (organizationId: string, id: string): PoolRef => ({ organization_id: organizationId, id });
export const channelPool = (channelId: string) => `channel:${channelId}`;
export const endpointPool = (endpointId: string) => `endpoint:${endpointId}`;
/** Of management calls for an account at the provider, whose limit is the account's: with all its numbers in this organization. */
export const accountPool = (organizationId: string, accountId: string) => `waba:${accountId}:${organizationId}`;
/** Of deliveries that a disabled endpoint still gets, while its own pool is held. */
export const drainPool = (endpointId: string) => `${endpointPool(endpointId)}:drain`;

/** A pool of all organizations together, without a rate and never on hold, is the nil organization's. */
export const sharedPool = (name: string) => `shared:${name}`;
const isShared = (pool: string) => pool.startsWith(sharedPool(''));
export const nobody = '00000000-0000-0000-0000-000000000000';

type Limits = RowOf<typeof Pool, 'width' | 'rate'>;

/** SQL: an upsert, whose times and reserved room stay. */
const setPoolStatement = `
  insert into pools (organization_id, id, width, rate)
  values ($1, $2, $3, $4)
  on conflict (organization_id, id) do update set width = excluded.width, rate = excluded.rate`;

/** Taken room stays taken. `rate` is per second; null: only the width counts. */
export async function setPool(em: Em, { organization_id, id }: PoolRef, width: Limits['width'], rate: Limits['rate']) {
  await query(em, setPoolStatement, [organization_id, id, width, rate]);
}

/** Of the pools among these that there are. */
export async function changeRate(em: Em, pools: PoolRef[], rate: Limits['rate']) {
  for (const { organization_id, id } of pools) await em.nativeUpdate(Pool, { organization_id, id }, { rate });
}

/** SQL: by the database's clock, and never shorter than the hold there is. */
const holdStatement = `
  update pools
     set held_until = greatest(held_until,
                               case when $3::float8 is null then 'infinity'
                                    else clock_timestamp() + $3::float8 * interval '1 ms' end)
   where organization_id = $1 and id = $2`;

export async function holdPool(source: Source, { organization_id, id }: PoolRef, ms: number | null) {
  await query(source, holdStatement, [organization_id, id, ms]);
}

export async function letPoolGo(em: Em, { organization_id, id }: PoolRef) {
  await em.nativeUpdate(Pool, { organization_id, id }, { held_until: null });
}

/** SQL: a function of the database. Without patience, a pool that another transaction has locked gives nothing. */
export async function fillPool(database: Database, { organization_id, id }: PoolRef, isPatient = true): Promise<DispatchedRow[]> {
  const rows = isShared(id)
    ? await query<DispatchedRow>(database, 'select * from fill_shared_pool($1, $2)', [id, isPatient])
    : await query<DispatchedRow>(database, 'select * from fill_pool($1, $2, $3)', [organization_id, id, isPatient]);
  const readAt = Date.now();
  return rows.map((row) => ({ ...row, read_at: readAt }));
}

/** SQL: a function of the database. False: the pool has no room. */
export async function takeRoom(database: Database, pool: string, { organization_id, id, run }: RunRef): Promise<boolean> {
  const take = isShared(pool) ? 'take_shared_room' : 'take_room';
  const text = `select ${take}($1, $2, $3, $4) as has_room`;
  const [row] = await query<{ has_room: boolean }>(database, text, [organization_id, pool, id, run]);
  return row?.has_room ?? false;
}

/** A paced pool whose plan reaches this far ahead waits a little: many finished runs share one fill. */
const farAheadMs = 200;
const farShareMs = 50;
/** Under load many commits and finished runs share one fill. */
const shareMs = 2;

/**
 * Room of a full pool comes from an end, which asks for a fill itself: new rows that wait there share these looks, the last one again and
 * again while more rows come. An endpoint that hangs stays full, and its looks would be most of what it costs.
 */
const defaultLooksMs = [50, 150, 600, 1_200];

/** A full share of bulk work must not delay the looks for conversation: each class has its own. */
const lookOf = (pool: JoinedPool) => `${pool.class}:${pool.id}`;

/** `joined`: the pool once for each class of which a new row waits. */
type Running = { again: boolean; joined: JoinedPool[]; done: Promise<void> };

export type Filler = {
  fill(pool: PoolRef): Promise<void>;
  fillOnce(pool: PoolRef): Promise<void>;
  /** For a new row that waits: at once, or soon where the last fill found no room. */
  join(pool: JoinedPool): void;
};

/** One fill of a pool at a time; a request meanwhile repeats it. The sweeper repairs what a fault leaves. */
export function createFiller(
  database: Database,
  add: (rows: DispatchedRow[]) => Promise<void>,
  onFault: (error: unknown) => void,
  looksMs = defaultLooksMs,
): Filler {
  const running = new Map<string, Running>();
  /** With whether a row has joined since the last look. */
  const full = new Map<string, { isJoined: boolean }>();

  async function give(pool: PoolRef, isPatient: boolean): Promise<DispatchedRow[]> {
    const rows = await fillPool(database, pool, isPatient);
    if (rows.length > 0) void add(rows).catch(onFault);
    return rows;
  }

  async function untilQuiet(pool: PoolRef, state: Running) {
    try {
      do {
        state.again = false;
        const rows = await give(pool, true);
        if (rows.length === 0) for (const joined of state.joined) void lookSoon(joined);
        if ((rows.at(-1)?.delay_ms ?? 0) > farAheadMs) await sleep(farShareMs);
        else if (state.again) await sleep(shareMs);
      } while (state.again);
    } catch (error) {
      onFault(error);
    } finally {
      running.delete(pool.id);
    }
  }

  /** An end may not have seen the new row, nor this fill the end: more looks, for all that came meanwhile. */
  async function lookSoon(pool: JoinedPool) {
    if (full.has(lookOf(pool))) return;
    const looks = { isJoined: false };
    full.set(lookOf(pool), looks);
    for (let look = 0; look < looksMs.length || looks.isJoined; look += 1) {
      looks.isJoined = false;
      await sleep(looksMs[look] ?? looksMs.at(-1), undefined, { ref: false });
      await fill(pool);
    }
    full.delete(lookOf(pool));
  }

  function fill(pool: PoolRef, joined: JoinedPool[] = []): Promise<void> {
    const current = running.get(pool.id);
    if (current) {
      current.again = true;
      for (const one of joined) if (!current.joined.some(({ class: kind }) => kind === one.class)) current.joined.push(one);
      return current.done;
    }
    const state: Running = { again: false, joined, done: Promise.resolve() };
    running.set(pool.id, state);
    // Later requests share this fill, so its connection counts for no organization.
    state.done = database.onNobodysBehalf(() => untilQuiet(pool, state));
    return state.done;
  }

  return {
    fill: (pool) => fill(pool),
    async fillOnce(pool) {
      if (!running.has(pool.id)) await give(pool, false).catch(onFault);
    },
    join(pool) {
      const looks = full.get(lookOf(pool));
      if (looks) looks.isJoined = true;
      else void fill(pool, [pool]);
    },
  };
}

/** SQL: an upsert. */
const ensureStatement = `
  insert into pools (organization_id, id, width, rate)
  values ($1, $2, $3, $4)
  on conflict (organization_id, id) do nothing`;

export async function ensurePool(own: Pick<Own, 'sql'>, id: string, width: number, rate: number | null = null) {
  await own.sql(ensureStatement, [id, width, rate]);
}

/**
 * SQL: a row that was asked for within the hour is not locked: movers would wait for each other. An older one may be purged at this moment: the
 * upsert waits for that, and makes it anew.
 */
const useStatement = `
  insert into pools (organization_id, id, width, used_at)
  select $1, $2, $3, clock_timestamp()
   where not exists (
         select 1
           from pools
          where organization_id = $1 and id = $2 and used_at > clock_timestamp() - interval '1 hour')
  on conflict (organization_id, id) do update set used_at = excluded.used_at`;

/** A pool that is nobody's setting, such as that of a host: purged when nothing was in it for long. */
export async function usePool(own: Pick<Own, 'sql'>, id: string, width: number) {
  await own.sql(useStatement, [id, width]);
}

export async function ensureSharedPool(tx: Pick<Tx, 'query'>, id: string, width: number) {
  await tx.query(ensureStatement, [nobody, id, width, null]);
}
