import { setTimeout as sleep } from 'node:timers/promises';
import type { Database, Em } from '../database/database.ts';
import { query } from '../database/query.ts';
import type { DispatchedRow } from './accept.ts';
import type { RunRef } from './tx.ts';

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

/** Gives a pool's room to its waiting rows, in order, each with a time of the pool's plan. Returns what goes to BullMQ now. Not patient: nothing, while somebody has the pool locked. */
export async function fillPool(database: Database, pool: string, isPatient = true): Promise<DispatchedRow[]> {
  const rows = await query<DispatchedRow>(database.em(), 'select * from fill_pool($1, $2)', [pool, isPatient]);
  const readAt = Date.now();
  return rows.map((row) => ({ ...row, read_at: readAt }));
}

/** Room for a run that has none, as a later try of a delivery; false: the pool has no room. */
export async function takeRoom(database: Database, pool: string, { id, run }: RunRef): Promise<boolean> {
  const [row] = await query<{ has_room: boolean }>(database.em(), 'select take_room($1, $2, $3) as has_room', [pool, id, run]);
  return row?.has_room ?? false;
}

/** A paced pool whose plan reaches this far ahead can wait a little for the next fill: many finishes share one. */
const farAheadMs = 200;
const farShareMs = 50;
/** Asked again while it runs, a fill waits this long before its next look: under load, many commits and finishes share one. */
const shareMs = 2;

export type Filler = { fill(pool: string): Promise<void>; fillOnce(pool: string): Promise<void> };

/** One fill a pool at a time in this process; asked meanwhile, it runs once more. Faults are the sweeper's to mend. */
export function createFiller(
  database: Database,
  add: (rows: DispatchedRow[]) => Promise<void>,
  onFault: (error: unknown) => void,
): Filler {
  const running = new Map<string, { again: boolean; done: Promise<void> }>();

  async function give(pool: string, isPatient: boolean): Promise<DispatchedRow[]> {
    const rows = await fillPool(database, pool, isPatient);
    if (rows.length > 0) void add(rows).catch(onFault);
    return rows;
  }

  async function untilQuiet(pool: string, state: { again: boolean }) {
    try {
      do {
        state.again = false;
        const rows = await give(pool, true);
        if ((rows.at(-1)?.delay_ms ?? 0) > farAheadMs) await sleep(farShareMs);
        else if (state.again) await sleep(shareMs);
      } while (state.again);
    } catch (error) {
      onFault(error);
    } finally {
      running.delete(pool);
    }
  }

  return {
    fill(pool) {
      const current = running.get(pool);
      if (current) {
        current.again = true;
        return current.done;
      }
      const state = { again: false, done: Promise.resolve() };
      running.set(pool, state);
      // It goes on for whoever asks meanwhile, and counts to the connections of none of them.
      state.done = database.onNobodysBehalf(() => untilQuiet(pool, state));
      return state.done;
    },
    async fillOnce(pool) {
      if (!running.has(pool)) await give(pool, false).catch(onFault);
    },
  };
}
