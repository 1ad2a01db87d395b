import { AppError } from '../errors.ts';

/** Gives a place back; a second call does nothing. */
export type Release = () => void;

export type Shares = {
  /**
   * A place of `key`'s share: at once when one is free, else when one is given back. Throws `unavailable` (503, `Retry-After`) when too
   * many wait for the key already, or after `waitMs`.
   */
  take(key: string): Release | Promise<Release>;
  /** A place of `key`'s share when one is free; never waits, never throws. */
  tryTake(key: string): Release | undefined;
  /** Runs `work` in a place of `key`'s share. */
  use<Result>(key: string, work: () => Promise<Result>): Promise<Result>;
  /** Places that `key` holds now. */
  held(key: string): number;
  /** Callers that wait for a place of `key`. */
  waiting(key: string): number;
  /** Refuses all that wait: the process is stopping. */
  close(): void;
};

type Options = {
  /** Places that one key holds at most. */
  perKey: number;
  /** How many may wait for one key; one more is refused at once. 0: none. */
  maxWaiting: number;
  /** Longest wait for a place, in ms. */
  waitMs: number;
  /** The message of the 503: what is used up, and what to do. */
  refusal: string;
  /** How long the place of a `use` stays taken after work of so many ms, so that a key without a break leaves time to others. */
  restMs?(tookMs: number): number;
};

type Waiting = { give(release: Release): void; refuse(): void };
type Share = { held: number; waiting: Set<Waiting> };

/**
 * Shares of something that all organizations use: each key (an organization) holds a bounded part, and the rest of its work waits in
 * this process, first come first served. An unused key takes no memory.
 */
export function createShares({ perKey, maxWaiting, waitMs, refusal, restMs }: Options): Shares {
  const shares = new Map<string, Share>();

  function giveBack(key: string, share: Share) {
    const [next] = share.waiting;
    if (next) {
      share.waiting.delete(next);
      next.give(releaseOf(key, share));
      return;
    }
    share.held -= 1;
    if (share.held === 0) shares.delete(key);
  }

  function releaseOf(key: string, share: Share): Release {
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      giveBack(key, share);
    };
  }

  function tryTake(key: string): Release | undefined {
    const share = shares.get(key) ?? { held: 0, waiting: new Set() };
    if (share.held >= perKey) return undefined;
    share.held += 1;
    shares.set(key, share);
    return releaseOf(key, share);
  }

  function take(key: string): Release | Promise<Release> {
    const free = tryTake(key);
    if (free) return free;
    const share = shares.get(key)!;
    if (share.waiting.size >= maxWaiting) throw refused();
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        give(release) {
          clearTimeout(timer);
          resolve(release);
        },
        refuse() {
          clearTimeout(timer);
          share.waiting.delete(waiting);
          reject(refused());
        },
      };
      const timer = setTimeout(waiting.refuse, waitMs);
      share.waiting.add(waiting);
    });
  }

  const refused = () => new AppError('unavailable', refusal, { retryAfterSeconds: 1 });

  return {
    take,
    tryTake,
    async use(key, work) {
      const release = await take(key);
      const startedAt = performance.now();
      try {
        return await work();
      } finally {
        const ms = restMs?.(performance.now() - startedAt) ?? 0;
        if (ms > 0) setTimeout(release, ms).unref();
        else release();
      }
    },
    held: (key) => shares.get(key)?.held ?? 0,
    waiting: (key) => shares.get(key)?.waiting.size ?? 0,
    close() {
      for (const { waiting } of shares.values()) for (const one of waiting) one.refuse();
    },
  };
}
