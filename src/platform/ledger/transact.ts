import type { BatchStatement } from '../database/batch.ts';
import type { Database, Em } from '../database/database.ts';
import { databaseAway, isDatabaseAway, isTransient, violatedConstraint } from '../database/errors.ts';
import { query } from '../database/query.ts';
import type { Cause } from '../events/cause.ts';
import { type Dispatched, nothingDispatched } from './accept.ts';
import { createLockTurns, type LockTurns } from './lock-turns.ts';
import { exclusive, HeardMeanwhile, LocksOutdated, lockOf, lockStatements, sorted } from './locks.ts';
import { joined, openTx } from './open-tx.ts';
import { repeated } from './repeat.ts';
import type { Count, Tallied } from './tally.ts';
import { Afterwards, type Tx } from './tx.ts';
import { type Entries, fitsOneTrip, type Written, writeInOneTrip, writeInTwoTrips, writeLedger } from './write.ts';

export type TransactOptions = {
  locks?: string[];
  /** A violation of these unique constraints means that another transaction was faster: repeat. */
  retryOn?: string[];
  /** `work` only enqueues, emits, ends and includes: locks and writes travel in one round trip, without begin and commit. */
  isOneTrip?: boolean;
  /** It deletes or moves any number of rows: its statements may take longer. */
  isLong?: boolean;
  cause?: Cause | undefined;
  once?: Once;
};

/** `claims` run under the locks, before the work, and raise an error where it may not begin. `kept` stores its result before the commit. */
export type Once = { claims: BatchStatement[]; kept(result: unknown): BatchStatement | Promise<BatchStatement> };

/** `look` reads what decides the locks. LocksOutdated repeats the whole write. */
export type Look<Seen> = Omit<TransactOptions, 'locks' | 'isOneTrip'> & {
  /** `attempt` is 1 the first time. */
  look(attempt: number): Promise<Seen>;
  locks(seen: NoInfer<Seen>): string[];
  isOneTrip?: boolean | ((seen: NoInfer<Seen>) => boolean);
  /** Errors that mean the same as LocksOutdated, such as a contact erased between two statements. */
  outdatedBy?(error: unknown): boolean;
  /** What an error of the database means to the caller; undefined: it stays as it is. */
  refusal?(error: unknown, seen: NoInfer<Seen>): Error | undefined;
};

export type Write<Seen> = TransactOptions | Look<Seen>;

export type Work<Given, Seen, Result> = (tx: Given, seen: Seen) => Promise<Result | Afterwards<Result>>;
export type Transact = <Seen, Result>(options: Write<Seen>, work: Work<Tx, Seen, Result>) => Promise<Result>;

/** No repeat begins after `patienceMs`; `lockMs` bounds the wait for one other of this process. */
export type TransactBounds = { patienceMs: number; lockMs: number };

/** The one way to write: rows, jobs and events commit together. Repeats conflicts; throws 503 when the database is away. */
export function createTransact(
  database: Database,
  after: (dispatched: Dispatched) => Promise<void> | void,
  bounds?: TransactBounds,
  count?: Count,
): Transact {
  const turns = bounds && createLockTurns(bounds.lockMs, bounds.patienceMs);
  return async <Seen, Result>(options: Write<Seen>, work: Work<Tx, Seen, Result>) => {
    const isOutdated = (error: unknown) =>
      error instanceof LocksOutdated || ('look' in options && (options.outdatedBy?.(error) ?? false));
    const repeats = {
      isOutdated,
      isTransient: (error: unknown) =>
        isTransient(error) || (options.retryOn?.includes(violatedConstraint(error) ?? '') ?? false),
      patienceMs: bounds?.patienceMs,
    };
    let isHeard = false;
    const write = async (attempt: number) => {
      const seen = 'look' in options ? await options.look(attempt) : undefined;
      const locks = 'look' in options ? options.locks(seen as Seen) : options.locks;
      const isOne = options.isOneTrip;
      const isOneTrip = typeof isOne === 'function' ? isOne(seen as Seen) : isOne;
      const attemptOptions = { ...options, locks, isOneTrip, isLooked: 'look' in options, isHeard };
      const { result, dispatched, tallied } = await inTurn(turns, locks, () =>
        attemptOf(database, attemptOptions, (tx) => work(tx, seen as Seen)),
      ).catch((error: unknown) => {
        isHeard ||= error instanceof HeardMeanwhile;
        throw ('look' in options ? options.refusal?.(error, seen as Seen) : undefined) ?? error;
      });
      if (tallied.length > 0) count?.(tallied);
      if (dispatched.rows.length + dispatched.pools.length + dispatched.joined.length > 0) await after(dispatched);
      return result;
    };
    try {
      return await repeated(write, repeats);
    } catch (error) {
      if (isOutdated(error)) throw new LocksOutdated();
      throw isDatabaseAway(error) ? databaseAway(error) : error;
    }
  };
}

async function inTurn<Result>(turns: LockTurns | undefined, locks: string[] | undefined, work: () => Promise<Result>) {
  if (!turns || !locks?.length) return work();
  const giveBack = await turns.take(exclusive(sorted(locks.map(lockOf))));
  try {
    return await work();
  } finally {
    giveBack();
  }
}

/** `isHeard`: whatever a look says, somebody listens to its events. */
type Attempt = Omit<TransactOptions, 'locks'> & { locks?: string[]; isLooked: boolean; isHeard: boolean };

async function attemptOf<Result>(
  database: Database,
  options: Attempt,
  work: (tx: Tx) => Promise<Result | Afterwards<Result>>,
): Promise<{ result: Result; dispatched: Dispatched; tallied: Tallied[] }> {
  const entries: Entries = { first: [], ends: [], jobs: [], events: [], parts: [] };
  const dispatched = nothingDispatched();
  const { once } = options;
  const locks = (options.locks ?? []).map(lockOf);
  const held = new Set(locks);
  const atEnd: (() => Promise<void> | void)[] = [];
  const given = new Map<string, unknown>();
  const tallied: Tallied[] = [];
  const { isLooked, isHeard, cause } = options;
  const kept = { held, entries, dispatched, given, atEnd, tallied, isLooked, isHeard, cause };
  const keep = (written: Written) => {
    joined(dispatched, written.dispatched);
    for (const [name, row] of written.given) given.set(name, row);
  };
  if (options.isOneTrip) {
    const value = await work(openTx(undefined, kept));
    if (!fitsOneTrip(entries)) throw new Error('The transaction does not fit one round trip');
    if (once)
      await writeInTwoTrips(database, locks, once.claims, entries, (written) => {
        keep(written);
        return once.kept(resultOf(value));
      });
    else keep(await writeInOneTrip(database, locks, entries));
    return { result: resultOf(value), dispatched, tallied };
  }
  const run = (em: Em, { text, params }: BatchStatement) => query(em, text, params);
  const begin = options.isLong ? [...database.forLongWork, ...lockStatements(held)] : lockStatements(held);
  const result = await database.transaction(async (em) => {
    for (const claim of once?.claims ?? []) await run(em, claim);
    const value = await work(openTx(em, kept));
    for (const last of atEnd) await last();
    await em.flush();
    keep(await writeLedger(em, entries));
    const own = resultOf(value);
    if (once) await run(em, await once.kept(own));
    return own;
  }, begin);
  return { result, dispatched, tallied };
}

const resultOf = <Result>(value: Result | Afterwards<Result>): Result => (value instanceof Afterwards ? value.read() : value);
