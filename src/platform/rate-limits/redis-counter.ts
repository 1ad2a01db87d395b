import { Redis } from 'ioredis';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import type { Log } from '../log.ts';
import { type Count, type Counter, countedBy, memoryCounter, type Window } from './counter.ts';

/** How long a request waits for Redis; later ones do not wait until it has answered again. */
const usualPatienceMs = 100;
const askAgainMs = 5_000;

/**
 * Counts in Redis, for all processes that share it. While it is away or slow each of the `processes` counts for itself: never an error, never
 * without limit.
 */
export function redisCounter(
  url: string,
  window: Window,
  log: Log,
  processes: () => number,
  patienceMs = usualPatienceMs,
): Counter {
  // Its own connection: limits must not wait for answers to the queue, nor the queue for answers to limits.
  const redis = new Redis(url, {
    connectionName: 'kanal-limits',
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: patienceMs,
    // A host that is gone without a word: the connection is made anew, perhaps to another one.
    socketTimeout: 10_000,
    retryStrategy: (times) => Math.min(times * 100, 1_000),
  });
  const shared = new RateLimiterRedis({ ...window, storeClient: redis, keyPrefix: 'kanal:limits' });
  const own = memoryCounter(window);
  /** What Redis told last of each key, but for what this process took alone. */
  const seen = new Map<string, { taken: number; endsAt: number }>();
  /** What this process took alone, and how much of that Redis knows by now. */
  const alone = new Map<string, { taken: number; told: number; endsAt: number }>();
  /** Set while Redis is not asked. */
  let again: NodeJS.Timeout | undefined;
  let isClosed = false;

  // Each refused connection is one; the queue, on the same server, says it in the log.
  redis.on('error', () => undefined);

  function leaveAlone(error: unknown) {
    if (again || isClosed) return;
    log.warn({ err: error }, 'rate limits: Redis does not answer, this process counts for itself');
    again = setTimeout(ask, askAgainMs).unref();
  }

  /** In the background: no request waits for it. */
  async function ask() {
    try {
      await redis.ping();
      again = undefined;
      log.info('rate limits: shared by Redis again');
    } catch {
      if (!isClosed) again = setTimeout(ask, askAgainMs).unref();
    }
  }

  /** What was taken alone is told with the next question, so that it costs no round trip. */
  async function takeShared(key: string): Promise<Count> {
    const askedAt = performance.now();
    const before = inForce(alone, key);
    const { taken: own = 0, told = 0 } = before ?? {};
    const count = await countedBy(shared, key, 1 + own - told);
    if (before) before.told = own;
    // In a window of Redis that began later, less may be taken than what was told in the one before.
    seen.set(key, { taken: Math.max(count.taken - own, 0), endsAt: askedAt + count.endsInMs });
    return count;
  }

  async function takeAlone(key: string, leases: number): Promise<Count> {
    const count = await own.take(key, leases);
    const among = { processes: processes(), seen: inForce(seen, key)?.taken ?? 0 };
    const { taken, told } = inForce(alone, key) ?? { taken: 0, told: 0 };
    // Beyond its share it takes nothing, however often it is asked.
    const share = Math.ceil(Math.max(leases - among.seen, 0) / among.processes);
    const endsAt = performance.now() + count.endsInMs;
    alone.set(key, { taken: Math.max(taken, Math.min(count.taken, share)), told, endsAt });
    return { ...count, alone: among };
  }

  return {
    async take(key, leases) {
      if (!again && redis.status === 'ready') {
        try {
          return await takeShared(key);
        } catch (error) {
          leaveAlone(error);
        }
      }
      return takeAlone(key, leases);
    },
    forget(key) {
      seen.delete(key);
      alone.delete(key);
      own.forget(key);
    },
    close() {
      isClosed = true;
      clearTimeout(again);
      redis.disconnect();
    },
  };
}

/** Undefined when the entry's window has ended. */
function inForce<Entry extends { endsAt: number }>(entries: Map<string, Entry>, key: string): Entry | undefined {
  const entry = entries.get(key);
  return entry && entry.endsAt > performance.now() ? entry : undefined;
}
