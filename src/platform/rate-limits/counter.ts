import { type RateLimiterAbstract, RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';

/**
 * How much has been taken in the window a key is in; a window begins with the first who takes. `alone`: the count is of this process only,
 * one of so many, and `seen` was taken by all of them before as far as it knows.
 */
export type Count = { taken: number; endsInMs: number; alone?: { processes: number; seen: number } };

/** Counts by key, past `points` too: what is beyond them is refused by whoever asks. */
export type Counter = {
  /** `leases`: how many of them the whole quota is. */
  take(key: string, leases: number): Promise<Count>;
  /** The asker keeps nothing of this key any more; neither need this process. */
  forget(key: string): void;
  close(): void;
};

export type Window = { points: number; duration: number };

/** The library rejects with its answer when the points are spent; only what is no answer is an error. */
export async function countedBy(limiter: RateLimiterAbstract, key: string, points = 1): Promise<Count> {
  const answer = await limiter.consume(key, points).catch((refusal: unknown) => {
    if (refusal instanceof RateLimiterRes) return refusal;
    throw refusal;
  });
  return { taken: answer.consumedPoints, endsInMs: answer.msBeforeNext };
}

/** What this process has seen, and no other. */
export function memoryCounter(window: Window): Counter {
  const limiter = new RateLimiterMemory(window);
  return {
    take: (key) => countedBy(limiter, key),
    forget: (key) => void limiter.delete(key),
    close() {},
  };
}
