import type { Database } from '../database/database.ts';
import type { Log } from '../log.ts';
import { type Dispatched, type DispatchedRow, distinctJoined, distinctPools, type PoolRef } from './accept.ts';
import { createFiller } from './pools.ts';
import type { Queues } from './queues.ts';
import type { Count } from './tally.ts';
import { createTransact, type Transact, type TransactBounds } from './transact.ts';

export type Ledger = {
  transact: Transact;
  /** Runs again while it is requested; never rejects. */
  fill(pool: PoolRef): Promise<void>;
  /** Does nothing when this process fills the pool already or the pool is locked. */
  fillOnce(pool: PoolRef): Promise<void>;
  dispatch(dispatched: Dispatched): Promise<void>;
};

/** After this wait a request answers; the sweeper does the rest. */
const maxWaitMs = 100;

/** `awaitsQueue`: the web process waits a moment for the queue, so that an idle system is fast; a worker never does. */
export function createLedger({
  database,
  queues,
  log,
  awaitsQueue,
  bounds,
  count,
}: {
  database: Database;
  queues: Queues;
  log: Log;
  awaitsQueue: boolean;
  bounds?: TransactBounds;
  count?: Count;
}): Ledger {
  const onFault = (error: unknown) => log.debug({ err: error }, 'left to the sweeper');
  const add = (rows: DispatchedRow[]) => queues.add(rows);
  const { fill, fillOnce, join } = createFiller(database, add, onFault);
  const dispatch = async (dispatched: Dispatched) => {
    const work = distinctPools(dispatched.pools).map((pool) => fill(pool));
    for (const pool of distinctJoined(dispatched.joined)) join(pool);
    if (dispatched.rows.length > 0) work.push(add(dispatched.rows).catch(onFault));
    await Promise.all(work);
  };
  const after = (dispatched: Dispatched) => {
    for (const pool of distinctPools(dispatched.pools)) void fill(pool);
    for (const pool of distinctJoined(dispatched.joined)) join(pool);
    if (dispatched.rows.length === 0) return;
    const work = add(dispatched.rows).catch(onFault);
    // Awaits only rows added here: a pool may be busy with other rows.
    if (!awaitsQueue) return;
    let timer: NodeJS.Timeout | undefined;
    const limit = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, maxWaitMs);
    });
    return Promise.race([work, limit]).finally(() => clearTimeout(timer));
  };
  return { transact: createTransact(database, after, bounds, count), fill, fillOnce, dispatch };
}
