import { type RateLimiterAbstract, RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';

/** The window begins with the first take. `alone`: counted by this process only; `seen` is what all took before. */
export type Count = { taken: number; endsInMs: number; alone?: { processes: number; seen: number } };

/** Also counts beyond `points`: the caller refuses. */
export type Counter = {
  take(key: string, leases: number): Promise<Count>;
  forget(key: string): void;
  close(): void;
};

export type Window = { points: number; duration: number };

/** The library rejects with its answer when the points are spent; other rejections are errors. */
export async function countedBy(limiter: RateLimiterAbstract, key: string, points = 1): Promise<Count> {
  const answer = await limiter.consume(key, points).catch((refusal: unknown) => {
    if (refusal instanceof RateLimiterRes) return refusal;
    throw refusal;
  });
  return { taken: answer.consumedPoints, endsInMs: answer.msBeforeNext };
}

export function memoryCounter(window: Window): Counter {
  const limiter = new RateLimiterMemory(window);
  return {
    take: (key) => countedBy(limiter, key),
    forget: (key) => void limiter.delete(key),
    close() {},
  };
}
