import { setTimeout as sleep } from 'node:timers/promises';

export type Repeats = {
  /** What the write began from has changed: others keep changing it, and one of them is done each time. */
  isOutdated(error: unknown): boolean;
  /** The same work may succeed now. */
  isTransient?(error: unknown): boolean;
  /** No repeat begins later. */
  patienceMs?: number;
  restMs?(attempt: number): number;
};

const maxAttempts = 3;
const maxOutdatedAttempts = 20;

/** The one loop that repeats a write. `attempt` is 1 the first time. Throws the last error. */
export async function repeated<Result>(
  write: (attempt: number) => Promise<Result>,
  { isOutdated, isTransient, patienceMs = Number.POSITIVE_INFINITY, restMs }: Repeats,
): Promise<Result> {
  const startedAt = performance.now();
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await write(attempt);
    } catch (error) {
      const isLate = performance.now() - startedAt > patienceMs;
      const max = isOutdated(error) ? maxOutdatedAttempts : isTransient?.(error) ? maxAttempts : 1;
      if (attempt >= max || isLate) throw error;
    }
    if (restMs) await sleep(restMs(attempt));
  }
}
