import { Redis } from 'ioredis';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import type { Log } from '../log.ts';
import { type Counter, countedBy, memoryCounter, type Window } from './counter.ts';

/** The longest a request waits for Redis; the next ones do not until it has answered again. */
const usualPatienceMs = 100;
const askAgainMs = 5_000;

/** Counts in Redis, for all processes that share it. While it is away each counts for itself: never an error, never without limit. */
export function redisCounter(url: string, window: Window, log: Log, patienceMs = usualPatienceMs): Counter {
  // A connection of its own: what waits for an answer in the queue's must not wait here, and the other way round.
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
  /** Set while Redis is left alone. */
  let again: NodeJS.Timeout | undefined;
  let isClosed = false;

  // Each refused connection is one; the queue, on the same server, says it in the log.
  redis.on('error', () => undefined);

  function leaveAlone(error: unknown) {
    if (again || isClosed) return;
    log.warn({ err: error }, 'rate limits: Redis does not answer, this process counts for itself');
    again = setTimeout(ask, askAgainMs).unref();
  }

  /** Beside the requests: none of them waits to find out. */
  async function ask() {
    try {
      await redis.ping();
      again = undefined;
      log.info('rate limits: shared by Redis again');
    } catch {
      if (!isClosed) again = setTimeout(ask, askAgainMs).unref();
    }
  }

  return {
    async take(key) {
      if (!again && redis.status === 'ready') {
        try {
          return await countedBy(shared, key);
        } catch (error) {
          leaveAlone(error);
        }
      }
      return own.take(key);
    },
    forget: own.forget,
    close() {
      isClosed = true;
      clearTimeout(again);
      redis.disconnect();
    },
  };
}
