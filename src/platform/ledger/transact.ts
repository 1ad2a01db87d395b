import type { Database, Em } from '../database/database.ts';
import { databaseAway, isDatabaseAway, isTransient, violatedConstraint } from '../database/errors.ts';
import type { Dispatched } from './accept.ts';
import { createLockTurns, type LockTurns } from './lock-turns.ts';
import { LocksOutdated, lockBatch, lockOf, lockStatements, sorted } from './locks.ts';
import { joined, openTx } from './open-tx.ts';
import type { Tx } from './tx.ts';
import { type Entries, fitsOneStatement, writeAtOnce, writeLedger } from './write.ts';

export type TransactOptions = {
  locks?: string[];
  /** A violation of these unique constraints means that another transaction was faster: repeat. */
  retryOn?: string[];
  /** `work` only enqueues, emits, ends and includes: no begin, no commit; with locks all in one round trip. */
  isOneStatement?: boolean;
  /** It deletes or moves any number of rows: its statements may take longer. */
  isLong?: boolean;
  beforeCommit?: (em: Em, result: unknown) => Promise<void>;
};

/** `look` reads what decides the locks. LocksOutdated repeats the whole write. */
export type Look<Seen> = Omit<TransactOptions, 'locks' | 'isOneStatement'> & {
  /** `attempt` is 1 the first time. */
  look(attempt: number): Promise<Seen>;
  locks(seen: NoInfer<Seen>): string[];
  isOneStatement?: boolean | ((seen: NoInfer<Seen>) => boolean);
  /** Errors that mean the same as LocksOutdated, such as a contact erased between two statements. */
  outdatedBy?(error: unknown): boolean;
};

export type Write<Seen> = TransactOptions | Look<Seen>;

export type Transact = <Seen, Result>(options: Write<Seen>, work: (tx: Tx, seen: Seen) => Promise<Result>) => Promise<Result>;

/** No repeat begins after `patienceMs`; `lockMs` bounds the wait for others of this process. */
export type TransactBounds = { patienceMs: number; lockMs: number };

const maxAttempts = 3;
/** A write with `look` repeats as long as the rows that choose the locks change. */
const maxOutdatedAttempts = 20;

/** The one way to write: rows, jobs and events commit together. Repeats conflicts; throws 503 when the database is away. */
export function createTransact(
  database: Database,
  after: (dispatched: Dispatched) => Promise<void> | void,
  bounds?: TransactBounds,
): Transact {
  const patienceMs = bounds?.patienceMs ?? Number.POSITIVE_INFINITY;
  const turns = bounds && createLockTurns(bounds.lockMs);
  return async <Seen, Result>(options: Write<Seen>, work: (tx: Tx, seen: Seen) => Promise<Result>) => {
    const startedAt = performance.now();
    for (let attempt = 1; ; attempt += 1) {
      try {
        const seen = 'look' in options ? await options.look(attempt) : undefined;
        const locks = 'look' in options ? options.locks(seen as Seen) : options.locks;
        const isOne = options.isOneStatement;
        const isOneStatement = typeof isOne === 'function' ? isOne(seen as Seen) : isOne;
        const attemptOptions = { ...options, locks, isOneStatement, isLooked: 'look' in options };
        const { result, dispatched } = await inTurn(turns, locks, () =>
          attemptOf(database, attemptOptions, (tx) => work(tx, seen as Seen)),
        );
        if (dispatched.rows.length > 0 || dispatched.pools.length > 0) await after(dispatched);
        return result;
      } catch (error) {
        const isLate = performance.now() - startedAt > patienceMs;
        const isOutdated = error instanceof LocksOutdated || ('look' in options && options.outdatedBy?.(error));
        if (isOutdated && attempt < maxOutdatedAttempts && !isLate) continue;
        const again = isTransient(error) || options.retryOn?.includes(violatedConstraint(error) ?? '');
        if (again && attempt < maxAttempts && !isLate) continue;
        if (isOutdated) throw new LocksOutdated();
        throw isDatabaseAway(error) ? databaseAway(error) : error;
      }
    }
  };
}

async function inTurn<Result>(turns: LockTurns | undefined, locks: string[] | undefined, work: () => Promise<Result>) {
  if (!turns || !locks?.length) return work();
  const giveBack = await turns.take(sorted(locks.map(lockOf)));
  try {
    return await work();
  } finally {
    giveBack();
  }
}

type Attempt = Omit<TransactOptions, 'locks'> & { locks?: string[]; isLooked: boolean };

async function attemptOf<Result>(database: Database, options: Attempt, work: (tx: Tx) => Promise<Result>) {
  const entries: Entries = { ends: [], jobs: [], events: [], parts: [] };
  const dispatched: Dispatched = { rows: [], pools: [] };
  const held = new Set((options.locks ?? []).map(lockOf));
  const atEnd: (() => Promise<void> | void)[] = [];
  const kept = { held, entries, dispatched, atEnd, isLooked: options.isLooked };
  if (options.isOneStatement) {
    const locks = lockBatch(held);
    const result = await work(openTx(undefined, kept));
    if (options.beforeCommit || (!options.locks?.length && !fitsOneStatement(entries)))
      throw new Error('The transaction is not one statement');
    const write = options.locks?.length ? writeAtOnce(database, locks, entries) : writeLedger(database, entries);
    return { result, dispatched: joined(dispatched, await write) };
  }
  const begin = options.isLong ? [...database.forLongWork, ...lockStatements(held)] : lockStatements(held);
  const result = await database.transaction(async (em) => {
    const value = await work(openTx(em, kept));
    for (const last of atEnd) await last();
    await em.flush();
    joined(dispatched, await writeLedger(em, entries));
    await options.beforeCommit?.(em, value);
    return value;
  }, begin);
  return { result, dispatched };
}
