import { setTimeout as sleep } from 'node:timers/promises';
import { createShares, type Release } from '../src/shares.ts';

/** The place of one run in its worker. */
export type Place = {
  /** Leaves the place to others while `call` waits for somebody's answer, and is back at once with it. */
  outside<Answer>(call: () => Promise<Answer>): Promise<Answer>;
  /** Leaves the place to others for `ms`, and stands in line for it again. */
  rest(ms: number): Promise<void>;
  /** At the end of the run. */
  leave(): void;
};

export type Places = {
  /** A place; or how long the run shall stay in the queue, because its pool or organization has its share and moves slowly. */
  enter(run: { pool?: string | null; organization_id?: string }): Promise<Place | { putOffMs: number }>;
  /** Whoever stands in line is put off at once: the worker stops. */
  close(): void;
};

/** A line in which somebody waits this long is slow: what comes after stays in the queue, where it is in nobody's way. */
const slowMs = 2_000;
/** Of a slow line so many wait here, and one of them that is served this fast says that it is slow no longer. */
const slowWaiting = 10;
const fastMs = 250;
/** Runs that are put off come back this far apart: each costs a round trip, however many there are. */
const putOffGapMs = 10;
const leastPutOffMs = 1_000;

/**
 * Who may work in one BullMQ worker, which is handed many more runs than work at once: `concurrency` runs work; a run that waits for a
 * provider or receiver does not count. No pool (a channel, an endpoint) and no organization has more than `share` runs begun, so that one
 * whose provider is slow or hangs leaves the rest to the others.
 */
export function createPlaces({ concurrency, share }: { concurrency: number; share: number }): Places {
  const gate = createGate(concurrency);
  const shares = createShares({ perKey: share, maxWaiting: Number.POSITIVE_INFINITY, waitMs: slowMs, refusal: 'slow' });
  const slow = new Set<string>();
  let isClosed = false;
  let lastReturnAt = 0;

  function putOffMs(): number {
    if (isClosed) return 0;
    const now = performance.now();
    lastReturnAt = Math.max(now + leastPutOffMs, lastReturnAt + putOffGapMs);
    return lastReturnAt - now;
  }

  /** A part of the key's share, at once when there is one; undefined: its line is slow. */
  function join(key: string): Release | undefined | Promise<Release | undefined> {
    if (shares.held(key) < share) slow.delete(key);
    else if (isClosed || (slow.has(key) && shares.waiting(key) >= slowWaiting)) return undefined;
    const part = shares.take(key);
    return part instanceof Promise ? waited(key, part) : part;
  }

  async function waited(key: string, part: Promise<Release>): Promise<Release | undefined> {
    const startedAt = performance.now();
    try {
      const release = await part;
      if (performance.now() - startedAt < fastMs) slow.delete(key);
      return release;
    } catch {
      slow.add(key);
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
      await gate.enter();
      return {
        async outside(call) {
          gate.leave();
          try {
            return await call();
          } finally {
            gate.return();
          }
        },
        async rest(ms) {
          gate.leave();
          await sleep(ms);
          await gate.enter();
        },
        leave() {
          gate.leave();
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

/** First come, first served; but who returns with an answer in hand is let in at once. */
function createGate(size: number) {
  let inside = 0;
  const line: (() => void)[] = [];
  return {
    enter(): void | Promise<void> {
      if (inside >= size) return new Promise((resolve) => line.push(resolve));
      inside += 1;
    },
    leave() {
      inside -= 1;
      if (inside >= size) return;
      const next = line.shift();
      if (!next) return;
      inside += 1;
      next();
    },
    return() {
      inside += 1;
    },
  };
}
