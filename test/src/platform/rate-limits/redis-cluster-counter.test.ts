import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createQuota, type Quota, quotaWindow } from '../../../../src/platform/rate-limits/quota.ts';
import { redisCounter } from '../../../../src/platform/rate-limits/redis-counter.ts';
import { collectingLog } from '../../../support/log.ts';
import { hasRedis } from '../../../support/servers/redis.ts';
import { createRedisCluster, type RedisCluster } from '../../../support/servers/redis-cluster.ts';
import { waitFor } from '../../../support/wait-for.ts';

/** Only a Redis that says nothing takes so long, however busy the machine is. */
const patienceMs = 3_000;

if (!(await hasRedis())) {
  test('is not tried: there is no redis-server', () =>
    console.warn('No redis-server found: limits shared by a Redis Cluster are not tried.'));
} else {
  describe('limits shared by a Redis Cluster', () => {
    let cluster: RedisCluster;
    const counters: { close(): void }[] = [];
    beforeAll(async () => {
      cluster = await createRedisCluster();
    });
    afterAll(async () => {
      for (const counter of counters) counter.close();
      await cluster.remove();
    });

    function ofProcess(perMinute: number): Quota {
      const counter = redisCounter(cluster.url, quotaWindow, collectingLog().log, () => 1, patienceMs);
      counters.push(counter);
      return createQuota(perMinute, counter)!;
    }
    const takeAll = async (limits: Quota, key: string, asked: number) =>
      (await Promise.all(Array.from({ length: asked }, () => limits.take(key)))).filter(({ isAllowed }) => isAllowed).length;

    test('are one limit for all processes, whichever node counts the key', async () => {
      const [one, two] = [ofProcess(50), ofProcess(50)];
      let number = 0;
      await waitFor('both to share', async () => {
        number += 1;
        const passed = (await takeAll(one, `probe:${number}`, 50)) + (await takeAll(two, `probe:${number}`, 50));
        return passed === 50;
      });
      for (const key of ['a', 'b', 'c', 'd', 'e', 'f']) {
        expect(await takeAll(one, key, 30)).toBe(30);
        expect(await takeAll(two, key, 30)).toBe(20);
      }
    });

    test('are still limits while a master is gone, and one limit again when its replica took its place', async () => {
      const [one, two] = [ofProcess(50), ofProcess(50)];
      await (await cluster.masterOf('kanal:limits:x')).kill('SIGKILL');
      expect(await takeAll(one, 'x', 60)).toBeLessThanOrEqual(50);
      let number = 0;
      await waitFor('both to share again', async () => {
        number += 1;
        const key = `x${number}`;
        return (await takeAll(one, key, 50)) + (await takeAll(two, key, 50)) === 50;
      });
    });
  });
}
