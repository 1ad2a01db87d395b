import { afterAll, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { openDatabase } from '../../../../src/open-database.ts';
import { createTestDatabase } from '../../../support/database.ts';
import { organizationWithKey } from '../../../support/factories/organization.ts';
import { collectingLog } from '../../../support/log.ts';
import { spawnNode, startRedis } from '../../../support/processes.ts';
import { testHashKey, testSecretKey } from '../../../support/secrets.ts';
import { freePort } from '../../../support/servers/child.ts';
import { hasRedis } from '../../../support/servers/redis.ts';
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
  test('two web processes on one Redis never give more than the quota together', async () => {
    const made = await createTestDatabase();
    endings.push(made.drop);
    const redis = await startRedis();
    const database = await openDatabase({ url: made.url, poolMax: 2, applicationName: 'test', log: collectingLog().log });
    endings.push(database.close);
    const client = new Redis(redis.url());
    endings.push(async () => client.disconnect());
    const start = async () => {
      const port = await freePort();
      const keys = { SECRET_KEY: testSecretKey, HASH_KEY: testHashKey };
      const settings = { ...keys, DATABASE_URL: made.url, QUEUE_URL: redis.url(), HOST: '127.0.0.1' };
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
    const falls = () => both.reduce((sum, each) => sum + each.falls(), 0);
    // On a busy machine one of them may find Redis too slow, says so and counts for itself for a while: then with another key.
    const answers = await waitFor('a quota that both share', async () => {
      const { key, keyId } = await organizationWithKey(database.em());
      const before = falls();
      if (!both.every(({ isSharing }) => isSharing())) return false;
      const given = (await Promise.all(both.map(({ base }) => statuses(base, key, quota)))).flat();
      const isShared = falls() === before && (await client.exists(`kanal:limits:${keyId}`)) === 1;
      return isShared && given;
    });
    const served = answers.filter((status) => status === 200).length;
    expect(new Set(answers)).toEqual(new Set([200, 429]));
    expect(served).toBeLessThanOrEqual(quota);
    // Each may sit on the rest of one lease.
    expect(served).toBeGreaterThan(quota - 2 * 3);
  });
}
