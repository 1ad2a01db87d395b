import type { Database } from '../database/database.ts';
import type { Log } from '../log.ts';
import type { Dispatched, DispatchedRow } from './accept.ts';
import { createFiller } from './pools.ts';
import type { Queues } from './queues.ts';
import { createTransact, type Transact, type TransactBounds } from './transact.ts';

export type Ledger = {
  transact: Transact;
  /** Fills the pool, and again while it is requested; never rejects. */
  fill(pool: string): Promise<void>;
  /** Fills it once, unless this process is filling it already or the pool is locked. */
  fillOnce(pool: string): Promise<void>;
  dispatch(dispatched: Dispatched): Promise<void>;
};

/** A request waits this long for the queue and then answers: the sweeper does the rest. */
const maxWaitMs = 100;

/** `awaitsQueue`: the web process waits a moment for the queue, so that an idle system is fast; a worker never does. `bounds` as in createTransact. */
export function createLedger({
  database,
  queues,
  log,
  awaitsQueue,
  bounds,
}: {
  database: Database;
  queues: Queues;
  log: Log;
  awaitsQueue: boolean;
  bounds?: TransactBounds;
}): Ledger {
  const onFault = (error: unknown) => log.debug({ err: error }, 'left to the sweeper');
  const add = (rows: DispatchedRow[]) => queues.add(rows);
  const { fill, fillOnce } = createFiller(database, add, onFault);
  const dispatch = async (dispatched: Dispatched) => {
    const work = [...new Set(dispatched.pools)].map((pool) => fill(pool));
    if (dispatched.rows.length > 0) work.push(add(dispatched.rows).catch(onFault));
    await Promise.all(work);
  };
  const after = (dispatched: Dispatched) => {
    for (const pool of new Set(dispatched.pools)) void fill(pool);
    if (dispatched.rows.length === 0) return;
    const work = add(dispatched.rows).catch(onFault);
    // Only rows added here are awaited: a pool may be busy with other rows, and a request does not wait for its room.
    if (!awaitsQueue) return;
    let timer: NodeJS.Timeout | undefined;
    const limit = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, maxWaitMs);
    });
    return Promise.race([work, limit]).finally(() => clearTimeout(timer));
  };
  return { transact: createTransact(database, after, bounds), fill, fillOnce, dispatch };
}
