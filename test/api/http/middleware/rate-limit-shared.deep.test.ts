import { afterAll, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { openDatabase } from '../../../../src/open-database.ts';
import { query } from '../../../../src/platform/database/query.ts';
import { createTestDatabase } from '../../../support/database.ts';
import { organizationWithKey } from '../../../support/factories/organization.ts';
import { collectingLog } from '../../../support/log.ts';
import { spawnNode, startRedis } from '../../../support/processes.ts';
import { testHashKey, testSecretKey } from '../../../support/secrets.ts';
import { freePort } from '../../../support/servers/child.ts';
import { hasRedis, type RedisServer } from '../../../support/servers/redis.ts';
import { startSlowProxy } from '../../../support/servers/slow-proxy.ts';
import { waitFor } from '../../../support/wait-for.ts';

const quota = 300;
const endings: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const end of endings.reverse()) await end();
});

/** The statuses of so many requests, eight at a time. */
async function statuses(base: string, key: string, count: number): Promise<number[]> {
  const given: number[] = [];
  const client = async () => {
    while (given.length < count) {
      given.push(0);
      const { status } = await fetch(`${base}/v1/messages`, { headers: { 'x-api-key': key } });
      given[given.indexOf(0)] = status;
    }
  };
  await Promise.all(Array.from({ length: 8 }, client));
  return given;
}

if (!(await hasRedis())) {
  test('is not tried: there is no redis-server', () =>
    console.warn('No redis-server found: one quota for two processes is not tried.'));
} else {
  /** Two web processes that both have counted in one Redis, which they reach by `queuePort`. */
  async function twoProcesses(redis: RedisServer, queuePort = redis.port) {
    const made = await createTestDatabase();
    endings.push(made.drop);
    const database = await openDatabase({ url: made.url, poolMax: 2, applicationName: 'test', log: collectingLog().log });
    endings.push(database.close);
    const client = new Redis(redis.url());
    endings.push(async () => client.disconnect());
    const start = async () => {
      const port = await freePort();
      const keys = { SECRET_KEY: testSecretKey, HASH_KEY: testHashKey };
      const queueUrl = `redis://127.0.0.1:${queuePort}`;
      const settings = { ...keys, DATABASE_URL: made.url, QUEUE_URL: queueUrl, HOST: '127.0.0.1' };
      const web = await spawnNode('api/main.ts', { ...settings, PORT: String(port), RATE_LIMIT_PER_MINUTE: String(quota) });
      endings.push(() => web.end('SIGTERM'));
      const base = `http://127.0.0.1:${port}`;
      // It listens before it has connected to Redis, and counts for itself until then.
      const other = await organizationWithKey(database.em());
      await waitFor('a count in Redis', async () => {
        await statuses(base, other.key, 1);
        return (await client.exists(`kanal:limits:${other.keyId}`)) === 1;
      });
      const said = (text: string) => web.output().split(text).length - 1;
      return {
        base,
        falls: () => said('counts for itself'),
        isSharing: () => said('counts for itself') === said('shared by Redis again'),
      };
    };
    const both = [await start(), await start()];
    return { both, client, database, falls: () => both.reduce((sum, each) => sum + each.falls(), 0) };
  }
  const servedOf = (answers: number[]) => answers.filter((status) => status === 200).length;

  test('two web processes on one Redis never give more than the quota together', async () => {
    const { both, client, database, falls } = await twoProcesses(await startRedis());
    // On a busy machine one of them may find Redis too slow, says so and counts for itself for a while: then with another key.
    const answers = await waitFor('a quota that both share', async () => {
      const { key, keyId } = await organizationWithKey(database.em());
      const before = falls();
      if (!both.every(({ isSharing }) => isSharing())) return false;
      const given = (await Promise.all(both.map(({ base }) => statuses(base, key, quota)))).flat();
      const isShared = falls() === before && (await client.exists(`kanal:limits:${keyId}`)) === 1;
      return isShared && given;
    });
    expect(new Set(answers)).toEqual(new Set([200, 429]));
    expect(servedOf(answers)).toBeLessThanOrEqual(quota);
    // Each may sit on the rest of one lease.
    expect(servedOf(answers)).toBeGreaterThan(quota - 2 * 3);
  });

  test('while Redis is too slow to be waited for, two web processes do not give twice the quota, but half of it each', async () => {
    const redis = await startRedis();
    const proxy = await startSlowProxy(redis.port);
    endings.push(proxy.close);
    const { both, database } = await twoProcesses(redis, proxy.port);
    const { key } = await organizationWithKey(database.em());
    // Two beats of each: by then both have seen the row of the other.
    const beats = () => query<{ beats: Date }>(database.em(), 'select max(seen_at) as beats from heartbeats');
    const since = Date.now();
    await waitFor('the heartbeats', async () => new Date((await beats())[0]!.beats).getTime() > since + 4_500, 15_000);
    proxy.delayMs = 400;
    const answers = (await Promise.all(both.map(({ base }) => statuses(base, key, quota)))).flat();
    expect(new Set(answers)).toEqual(new Set([200, 429]));
    expect(servedOf(answers)).toBe(quota);
  });
}
