import { setTimeout as sleep } from 'node:timers/promises';
import { createShares, type Release } from '../src/platform/load/shares.ts';

/** The place of one run in its worker. */
export type Place = {
  /** Gives the place to others while `call` waits for its answer, and takes it back at once with the answer. */
  outside<Answer>(call: () => Promise<Answer>): Promise<Answer>;
  /** Gives the place to others for `ms`, then waits in line for it again. */
  rest(ms: number): Promise<void>;
  /** At the end of the run. */
  leave(): void;
};

export type Places = {
  /** A place; or how long the run stays in the queue, because its pool or organization has used its share and is slow. */
  enter(run: { pool?: string | null; organization_id?: string }): Promise<Place | { putOffMs: number }>;
  /** The worker stops: all runs in line are put off at once. */
  close(): void;
};

/** A line in which a run waits this long is slow: later runs stay in the queue, where they block no others. */
const slowMs = 2_000;
/** The runs of a slow line that wait here. After `fastInARow` runs served within `fastMs` it is no longer slow; a single one may be chance. */
const slowWaiting = 10;
const fastMs = 250;
const fastInARow = 5;
/** One organization's largest share of the runs that work at once, without waiting for a provider: long runs leave the rest to others. */
const workingShare = 0.75;
/** Runs that are put off come back this far apart: each costs a round trip, however many there are. */
const putOffGapMs = 10;
const minPutOffMs = 1_000;

/**
 * Who may work in one BullMQ worker, which is dispatched many more runs than work at once: `concurrency` runs work; a run that waits for a
 * provider or receiver does not count. No pool (a channel, an endpoint) and no organization has more than `share` runs begun, so that one
 * whose provider is slow or hangs leaves the rest to the others.
 */
export function createPlaces({ concurrency, share }: { concurrency: number; share: number }): Places {
  const gate = createGate(concurrency, Math.ceil(concurrency * workingShare));
  const shares = createShares({ perKey: share, maxWaiting: Number.POSITIVE_INFINITY, waitMs: slowMs, refusal: 'slow' });
  /** How many were served fast since a line was found slow. */
  const slow = new Map<string, number>();
  let isClosed = false;
  let lastReturnAt = 0;

  function putOffMs(): number {
    if (isClosed) return 0;
    const now = performance.now();
    lastReturnAt = Math.max(now + minPutOffMs, lastReturnAt + putOffGapMs);
    return lastReturnAt - now;
  }

  /** A part of the key's share, at once when there is one; undefined: its line is slow. */
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

/**
 * First come, first served, but no key has more than `perKey` of the places; a run that returns with an answer is let in at once.
 */
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
