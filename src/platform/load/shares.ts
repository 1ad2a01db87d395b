import { AppError } from '../errors.ts';

/** A second call does nothing. */
export type Release = () => void;

export type Shares = {
  /** Waits for a free place. Throws 503 with `Retry-After` when too many wait already, or after `waitMs`. */
  take(key: string): Release | Promise<Release>;
  tryTake(key: string): Release | undefined;
  use<Result>(key: string, work: () => Promise<Result>): Promise<Result>;
  held(key: string): number;
  waiting(key: string): number;
  /** Refuses all that wait: the process is stopping. */
  close(): void;
};

type Options = {
  perKey: number;
  maxWaiting: number;
  waitMs: number;
  /** The wait begins anew whenever somebody of the key gets a place, until it is this long in all. Default: it never does. */
  mostMs?: number;
  refusal: string;
  /** The place stays taken this long after `use`, so that a busy key leaves time to others. */
  restMs?(tookMs: number, key: string): number;
};

type Waiting = { give(release: Release): void; refuse(): void; moved(): void };
type Share = { held: number; waiting: Set<Waiting> };

/** First come first served within a key (an organization); an unused key takes no memory. */
export function createShares({ perKey, maxWaiting, waitMs, mostMs = 0, refusal, restMs }: Options): Shares {
  const shares = new Map<string, Share>();

  function giveBack(key: string, share: Share) {
    const [next] = share.waiting;
    if (next) {
      share.waiting.delete(next);
      next.give(releaseOf(key, share));
      if (mostMs > 0) for (const one of share.waiting) one.moved();
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
        moved() {
          if (performance.now() - since < mostMs) timer.refresh();
        },
      };
      const since = performance.now();
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
        const ms = restMs?.(performance.now() - startedAt, key) ?? 0;
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
