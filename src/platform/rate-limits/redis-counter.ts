import { RateLimiterRedis } from 'rate-limiter-flexible';
import type { Log } from '../log.ts';
import { openRedis } from '../redis.ts';
import { type Count, type Counter, countedBy, memoryCounter, type Window } from './counter.ts';

/** How long a request waits for Redis; after a timeout none waits until it answers again. */
const usualPatienceMs = 100;
const askAgainMs = 5_000;

/** While Redis is away or slow, each of the `processes` counts for itself: no error, and still a limit. */
export function redisCounter(
  url: string,
  window: Window,
  log: Log,
  processes: () => number,
  patienceMs = usualPatienceMs,
): Counter {
  // Its own connection: limits and the queue must not wait for each other's answers.
  const redis = openRedis(url, {
    connectionName: 'kanal-limits',
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: patienceMs,
    // A silent host: connects again, perhaps to another one.
    socketTimeout: 10_000,
    retryStrategy: (times) => Math.min(times * 100, 1_000),
  });
  const shared = new RateLimiterRedis({ ...window, storeClient: redis, keyPrefix: 'kanal:limits' });
  const own = memoryCounter(window);
  /** Last known from Redis for each key, without what this process took alone. */
  const seen = new Map<string, { taken: number; endsAt: number }>();
  /** What this process took alone, and how much of that Redis knows. */
  const alone = new Map<string, { taken: number; told: number; endsAt: number }>();
  let again: NodeJS.Timeout | undefined;
  let isClosed = false;

  // Each refused connection is an error; the queue, on the same server, logs it.
  redis.on('error', () => undefined);

  function leaveAlone(error: unknown) {
    if (again || isClosed) return;
    log.warn({ err: error }, 'rate limits: Redis does not answer, this process counts for itself');
    again = setTimeout(ask, askAgainMs).unref();
  }

  async function ask() {
    try {
      await redis.ping();
      again = undefined;
      log.info('rate limits: shared by Redis again');
    } catch {
      if (!isClosed) again = setTimeout(ask, askAgainMs).unref();
    }
  }

  /** Reports what was taken alone with the next request: no extra round trip. */
  async function takeShared(key: string): Promise<Count> {
    const askedAt = performance.now();
    const before = inForce(alone, key);
    const { taken: own = 0, told = 0 } = before ?? {};
    const count = await countedBy(shared, key, 1 + own - told);
    if (before) before.told = own;
    // In a later window of Redis, less may be taken than was reported in the one before.
    seen.set(key, { taken: Math.max(count.taken - own, 0), endsAt: askedAt + count.endsInMs });
    return count;
  }

  async function takeAlone(key: string, leases: number): Promise<Count> {
    const count = await own.take(key, leases);
    const among = { processes: processes(), seen: inForce(seen, key)?.taken ?? 0 };
    const { taken, told } = inForce(alone, key) ?? { taken: 0, told: 0 };
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

function inForce<Entry extends { endsAt: number }>(entries: Map<string, Entry>, key: string): Entry | undefined {
  const entry = entries.get(key);
  return entry && entry.endsAt > performance.now() ? entry : undefined;
}
