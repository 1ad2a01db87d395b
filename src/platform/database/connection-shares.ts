import { AsyncLocalStorage } from 'node:async_hooks';
import type { Pool, PoolClient } from 'pg';
import { AppError } from '../errors.ts';
import { type Crowd, crowd as crowdHere } from '../load/busy.ts';
import { createShares } from '../load/shares.ts';

export type ConnectionShare = {
  /** Connections at once; one of the pool is always left to other keys. */
  places: number;
  /** Requests that write at once while the process has no time left and others want it, too: a burst of them would take it from the others' reads. */
  crowdedWrites: number;
  maxWaiting: number;
  waitMs: number;
};

type Done = (error: Error | undefined, client?: PoolClient, giveBack?: PoolClient['release']) => void;

type Holder = { key: string; hasLeft: () => boolean; endTurn?: () => void };
const holder = new AsyncLocalStorage<Holder>();
const never = () => false;

/** The context of the call carries the key: a statement that forgot an argument would have no bound. `hasLeft`: nobody waits for the answer any more. */
export const onBehalfOf = <Result>(key: string, work: () => Promise<Result>, hasLeft = never): Promise<Result> =>
  holder.run({ key, hasLeft }, work);

/** Asked by work whose turn comes. An answer that nobody reads is not begun, since others of the key wait for it: throws 503. */
export function assertStillThere(): void {
  if (holder.getStore()?.hasLeft()) throw new AppError('unavailable', 'The client left before its turn');
}

/** For work that one request begins and other requests share. */
export const onNobodysBehalf = <Result>(work: () => Promise<Result>): Promise<Result> => holder.exit(work);

/** Runs a request that writes when it is the turn of its key. Throws 503. */
export type InWriteTurn = <Result>(write: () => Promise<Result>) => Promise<Result>;

/** The request of the call begins to wait, for a lock or an outcome: others of its key need not wait for that. */
export const endWriteTurn = (): void => holder.getStore()?.endTurn?.();

const refusal = 'Too many of your requests are at work at once; try again';
/** A burst that has to wait is better answered late than asked again. */
const writeWaitMs = 5_000;
/** Whoever takes longer waits for the database or somebody else, and not for this process. */
const turnMs = 250;

/** Work without a key, such as a probe or a sweep, is not counted. */
export function shareConnections(
  pool: Pool,
  { places, crowdedWrites, maxWaiting, waitMs }: ConnectionShare,
  crowd: Crowd = crowdHere,
): InWriteTurn {
  const perKey = Math.max(1, Math.min(places, pool.options.max - 1));
  const shares = createShares({ perKey, maxWaiting, waitMs, refusal });
  // Beside others no more than have connections: what a burst begins before the process is seen to be crowded cannot be taken back.
  const uncrowded = () => (crowd.isShared() ? perKey : Number.POSITIVE_INFINITY);
  const writes = createShares({
    perKey: () => (crowd.isCrowded() ? Math.min(crowdedWrites, perKey) : uncrowded()),
    maxWaiting,
    waitMs: Math.max(waitMs, writeWaitMs),
    refusal,
  });
  const connect = pool.connect.bind(pool) as (done: Done) => void;

  function connectInPlace(release: () => void, done: Done) {
    connect((error, client) => {
      if (!client) {
        release();
        return done(error);
      }
      const giveBack = client.release;
      client.release = (destroy) => {
        // The connection first: the next holder of the place then finds it idle.
        giveBack(destroy);
        release();
      };
      done(undefined, client, client.release);
    });
  }

  function connectShared(done: Done) {
    const key = holder.getStore()?.key;
    if (key === undefined) return connect(done);
    try {
      const place = shares.take(key);
      if (place instanceof Promise) place.then((release) => connectInPlace(release, done), done);
      else connectInPlace(place, done);
    } catch (error) {
      done(error as Error);
    }
  }

  const connectPromised = () =>
    new Promise<PoolClient>((resolve, reject) => connectShared((error, client) => (client ? resolve(client) : reject(error))));

  pool.connect = ((done?: Done) => (done ? connectShared(done) : connectPromised())) as Pool['connect'];

  return async (write) => {
    const store = holder.getStore();
    if (!store) return write();
    const place = writes.take(store.key);
    const release = place instanceof Promise ? await place : place;
    // Those of a burst that wait behind it are there, however long ago they came.
    crowd.met(store.key);
    store.endTurn = release;
    const timer = setTimeout(release, turnMs);
    try {
      if (place instanceof Promise) assertStillThere();
      return await write();
    } finally {
      clearTimeout(timer);
      release();
    }
  };
}
