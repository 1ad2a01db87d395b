import { setTimeout as sleep } from 'node:timers/promises';
import { createShares, type Release } from '../src/platform/load/shares.ts';

export type Place = {
  /** Frees the place while `call` waits, and takes it back at once with the answer. */
  outside<Answer>(call: () => Promise<Answer>): Promise<Answer>;
  /** Frees the place for `ms`, then waits in line for it again. */
  rest(ms: number): Promise<void>;
  leave(): void;
};

export type Places = {
  /** `putOffMs`: the run stays in the queue, because the share of its pool or organization is full and slow. */
  enter(run: { pool?: string | null; organization_id?: string }): Promise<Place | { putOffMs: number }>;
  /** Puts off all runs in line. */
  close(): void;
};

/** A line with this wait is slow: later runs stay in the queue, where they block no others. */
const slowMs = 2_000;
/** Runs of a slow line that wait here, at most one share. `fastInARow` runs within `fastMs` make it fast again; one may be chance. */
const maxSlowWaiting = 10;
const fastMs = 250;
const fastInARow = 5;
/** One organization's largest share of the working runs: long runs leave the rest to others. */
const workingShare = 0.75;
/** Spreads the returns: each costs a round trip. */
const putOffGapMs = 10;
const minPutOffMs = 1_000;

/**
 * `concurrency` runs work; those that wait for a provider or receiver do not count. No pool (a channel, an endpoint)
 * and no organization starts more than `share` runs, so that a slow provider leaves the rest to the others.
 */
export function createPlaces({ concurrency, share }: { concurrency: number; share: number }): Places {
  const gate = createGate(concurrency, Math.ceil(concurrency * workingShare));
  const shares = createShares({ perKey: share, maxWaiting: Number.POSITIVE_INFINITY, waitMs: slowMs, refusal: 'slow' });
  /** Fast runs in a row, for each slow line. */
  const slow = new Map<string, number>();
  const slowWaiting = Math.min(maxSlowWaiting, concurrency);
  let isClosed = false;
  let lastReturnAt = 0;

  function putOffMs(): number {
    if (isClosed) return 0;
    const now = performance.now();
    lastReturnAt = Math.max(now + minPutOffMs, lastReturnAt + putOffGapMs);
    return lastReturnAt - now;
  }

  /** Undefined: the line is slow. */
  function join(key: string): Release | undefined | Promise<Release | undefined> {
    const isFull = shares.held(key) >= share;
    if (shares.held(key) === 0) slow.delete(key);
    if (isFull && (isClosed || (slow.has(key) && shares.waiting(key) >= slowWaiting))) return undefined;
    const part = shares.take(key);
    return part instanceof Promise ? waited(key, part) : part;
  }

  function served(key: string, isFast: boolean) {
    const before = slow.get(key);
    if (before === undefined) return;
    if (isFast && before + 1 >= fastInARow) slow.delete(key);
    else slow.set(key, isFast ? before + 1 : 0);
  }

  async function waited(key: string, part: Promise<Release>): Promise<Release | undefined> {
    const startedAt = performance.now();
    try {
      const release = await part;
      served(key, performance.now() - startedAt < fastMs);
      return release;
    } catch {
      slow.set(key, 0);
      return undefined;
    }
  }

  return {
    async enter({ pool, organization_id: organizationId }) {
      const parts: Release[] = [];
      const giveBack = () => {
        for (const release of parts) release();
      };
      for (const key of [pool, organizationId]) {
        if (!key) continue;
        const joined = join(key);
        const part = joined instanceof Promise ? await joined : joined;
        if (!part) {
          giveBack();
          return { putOffMs: putOffMs() };
        }
        parts.push(part);
      }
      const who = organizationId ?? '';
      await gate.enter(who);
      return {
        async outside(call) {
          gate.leave(who);
          try {
            return await call();
          } finally {
            gate.return(who);
          }
        },
        async rest(ms) {
          gate.leave(who);
          await sleep(ms);
          await gate.enter(who);
        },
        leave() {
          gate.leave(who);
          giveBack();
        },
      };
    },
    close() {
      isClosed = true;
      shares.close();
    },
  };
}

/** First come, first served, at most `perKey` a key; a run that returns with an answer enters at once. */
function createGate(size: number, perKey: number) {
  let inside = 0;
  const insideOf = new Map<string, number>();
  const line: { key: string; enter(): void }[] = [];
  const hasRoom = (key: string) => inside < size && (insideOf.get(key) ?? 0) < perKey;

  function count(key: string, change: 1 | -1) {
    inside += change;
    const own = (insideOf.get(key) ?? 0) + change;
    if (own === 0) insideOf.delete(key);
    else insideOf.set(key, own);
  }

  return {
    enter(key: string): void | Promise<void> {
      if (!hasRoom(key)) return new Promise((resolve) => line.push({ key, enter: resolve }));
      count(key, 1);
    },
    leave(key: string) {
      count(key, -1);
      const next = line.findIndex((one) => hasRoom(one.key));
      if (next < 0) return;
      const [one] = line.splice(next, 1);
      count(one!.key, 1);
      one!.enter();
    },
    return: (key: string) => count(key, 1),
  };
}
