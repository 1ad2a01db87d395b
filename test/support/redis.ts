import { Redis } from 'ioredis';
import { beforeEachFile } from './jest/each-file.ts';

/** Files that run concurrently are in different jest workers, so a database a worker keeps them apart. */
function redisDatabase(first: number): string | undefined {
  const base = process.env.KANAL_TEST_REDIS_URL;
  if (!base) return undefined;
  const url = new URL(base);
  url.pathname = `/${first + (Number(process.env.JEST_WORKER_ID ?? 1) % 31)}`;
  return url.href;
}

/** For the file's own tests of Redis. */
export const testRedisUrl = (): string | undefined => redisDatabase(1);

/**
 * The queue of an application with workers: Redis where there is one, which takes less of the processors than the queue in PostgreSQL. The
 * deep run has a part in which it is PostgreSQL, as a process without QUEUE_URL has it.
 */
export const appQueueUrl = (): string | undefined =>
  process.env.KANAL_TEST_QUEUE === 'postgres' ? undefined : redisDatabase(32);

/** Empties the file's Redis database: the queue has forgotten everything. */
export const flushTestRedis = (): Promise<void> => flush(testRedisUrl());

export async function flush(url: string | undefined): Promise<void> {
  if (!url) return;
  const client = new Redis(url);
  await client.flushdb();
  await client.quit();
}

/** Every key of the file's Redis database with all it holds, as text. */
export async function redisTexts(): Promise<{ place: string; text: string }[]> {
  const url = testRedisUrl();
  if (!url) return [];
  const client = new Redis(url);
  try {
    const read: Record<string, (key: string) => Promise<unknown>> = {
      string: (key) => client.get(key),
      hash: (key) => client.hgetall(key),
      list: (key) => client.lrange(key, 0, -1),
      set: (key) => client.smembers(key),
      zset: (key) => client.zrange(key, 0, '-1'),
      stream: (key) => client.xrange(key, '-', '+'),
    };
    const keys = await client.keys('*');
    return await Promise.all(
      keys.map(async (key) => ({
        place: `Redis ${key}`,
        text: JSON.stringify([key, await read[await client.type(key)]?.(key)]),
      })),
    );
  } finally {
    await client.quit();
  }
}

// What the file before this one left in the worker's database is gone before the first test.
beforeEachFile(flushTestRedis);
