import { type RateLimiterAbstract, RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';

/**
 * How much was taken in the key's window; a window begins with the first take. `alone`: the count is of this process only, one of
 * `processes`; `seen` was taken by all of them before, as far as this one knows.
 */
export type Count = { taken: number; endsInMs: number; alone?: { processes: number; seen: number } };

/** Counts by key, also beyond `points`: the caller refuses what is beyond. */
export type Counter = {
  /** `leases`: the whole quota, in leases. */
  take(key: string, leases: number): Promise<Count>;
  /** The caller has dropped the key, and so may the counter. */
  forget(key: string): void;
  close(): void;
};

export type Window = { points: number; duration: number };

/** The library rejects with its answer when the points are spent; any other rejection is an error. */
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
