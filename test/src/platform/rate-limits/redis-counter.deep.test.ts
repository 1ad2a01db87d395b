import { afterEach, describe, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { createQuota, type Quota, quotaWindow } from '../../../../src/platform/rate-limits/quota.ts';
import { redisCounter } from '../../../../src/platform/rate-limits/redis-counter.ts';
import { later } from '../../../support/later.ts';
import { collectingLog } from '../../../support/log.ts';
import { startRedis } from '../../../support/processes.ts';
import { hasRedis, type RedisServer } from '../../../support/servers/redis.ts';
import { startSlowProxy } from '../../../support/servers/slow-proxy.ts';
import { waitFor } from '../../../support/wait-for.ts';

const { log, lines } = collectingLog();
const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0)) await each.close();
});

/** What is shared is not given up because a busy machine is slow: only a Redis that says nothing takes so long. */
const patienceMs = 3_000;

type Options = { url?: string; processes?: number; patience?: number };

/** As a process has them; waits until they share, or a test of sharing would sometimes see a process that has not connected yet. */
async function sharing(server: RedisServer, perMinute: number, options: Options = {}): Promise<Quota> {
  const limits = unconnected(server, perMinute, options);
  const client = clientOf(server);
  await waitFor('the first count', async () => {
    await limits.take(`probe:${Math.random()}`);
    return (await client.keys('kanal:limits:probe:*')).length > 0;
  });
  await client.eval(`for _, key in ipairs(redis.call('keys', 'kanal:limits:probe:*')) do redis.call('del', key) end`, 0);
  return limits;
}

function unconnected(
  server: RedisServer,
  perMinute: number,
  { url = server.url(), processes = 1, patience = patienceMs }: Options = {},
): Quota {
  const counter = redisCounter(url, quotaWindow, log, () => processes, patience);
  opened.push({ close: async () => counter.close() });
  return createQuota(perMinute, counter)!;
}

function clientOf(server: RedisServer): Redis {
  const client = new Redis(server.url());
  opened.push({ close: async () => client.disconnect() });
  return client;
}

async function allowed(limits: Quota, key: string, asked: number): Promise<number> {
  let passed = 0;
  for (let index = 0; index < asked; index += 1) passed += (await limits.take(key)).isAllowed ? 1 : 0;
  return passed;
}

/** Calls of the counting script since the last reset. */
async function leasesTaken(client: Redis): Promise<number> {
  const stats = String(await client.info('commandstats'));
  return Number(/cmdstat_evalsha:calls=(\d+)/.exec(stats)?.[1] ?? 0);
}

if (!(await hasRedis())) {
  test('is not tried: there is no redis-server', () =>
    console.warn('No redis-server found: limits shared by Redis are not tried.'));
} else {
  describe('shared by Redis', () => {
    test.each([1, 99, 150, 1001])('of %i a minute one process alone gives as many, counting down by one', async (quota) => {
      const limits = await sharing(await startRedis(), quota);
      const left: number[] = [];
      for (let index = 0; index < quota; index += 1) left.push((await limits.take('key:a')).remaining);
      expect(left).toEqual(Array.from({ length: quota }, (_, index) => quota - 1 - index));
      expect(await allowed(limits, 'key:a', 20)).toBe(0);
    });

    test('two never give more than the quota, and keep back less than a lease each', async () => {
      const server = await startRedis();
      const [one, two] = [await sharing(server, 1000), await sharing(server, 1000)];
      const burst = (limits: Quota) => Promise.all(Array.from({ length: 900 }, () => limits.take('key:a')));
      const answers = (await Promise.all([burst(one), burst(two)])).flat();
      const passed = answers.filter(({ isAllowed }) => isAllowed).length;
      expect(passed).toBeLessThanOrEqual(1000);
      expect(passed).toBeGreaterThan(1000 - 2 * 10);
      expect(await allowed(one, 'key:b', 5)).toBe(5);
    });

    test('what one has taken the other does not have any more', async () => {
      const server = await startRedis();
      const [one, two] = [await sharing(server, 50), await sharing(server, 50)];
      expect(await allowed(one, 'key:a', 30)).toBe(30);
      expect((await two.take('key:a')).remaining).toBe(19);
      expect(await allowed(two, 'key:a', 100)).toBe(19);
      expect(await allowed(one, 'key:a', 100)).toBe(0);
    });

    test('a hundred questions a quota, also when many ask at once, and none once it is spent', async () => {
      const server = await startRedis();
      const client = clientOf(server);
      const limits = await sharing(server, 6000);
      await limits.take('key:warm');
      await client.config('RESETSTAT');
      await Promise.all(Array.from({ length: 60 }, () => limits.take('key:a')));
      expect(await leasesTaken(client)).toBe(1);
      expect(await allowed(limits, 'key:a', 8_000)).toBe(5_940);
      expect(await leasesTaken(client)).toBe(100);
    });

    test('the window is that of Redis, and a new one begins after it', async () => {
      const server = await startRedis();
      const client = clientOf(server);
      const limits = await sharing(server, 2);
      const first = await limits.take('key:a');
      expect(first).toEqual({ isAllowed: true, remaining: 1, resetSeconds: expect.any(Number) });
      expect(first.resetSeconds).toBeGreaterThan(55);
      expect(first.resetSeconds).toBeLessThanOrEqual(60);
      expect(await client.pexpire('kanal:limits:key:a', 30_000)).toBe(1);
      const last = await limits.take('key:a');
      expect(last).toEqual({ isAllowed: true, remaining: 0, resetSeconds: expect.any(Number) });
      expect(last.resetSeconds).toBeGreaterThan(15);
      expect(last.resetSeconds).toBeLessThanOrEqual(30);
      expect((await limits.take('key:a')).isAllowed).toBe(false);
      await client.pexpire('kanal:limits:key:a', 1);
      await waitFor('the end of the window', async () => (await client.exists('kanal:limits:key:a')) === 0);
      const next = await later(30_000, async () => limits.take('key:a'));
      expect(next).toEqual({ isAllowed: true, remaining: 1, resetSeconds: expect.any(Number) });
      expect(next.resetSeconds).toBeGreaterThan(55);
    });
  });

  describe('with a Redis that is slower than a request waits', () => {
    const quota = 300;
    const processes = 3;
    const slowMs = 3_000;

    /** That many processes on one Redis behind a proxy. */
    async function behindProxy() {
      const server = await startRedis();
      const proxy = await startSlowProxy(server.port);
      opened.push(proxy);
      const options = { url: `redis://127.0.0.1:${proxy.port}`, processes, patience: slowMs / 4 };
      const all = await Promise.all(Array.from({ length: processes }, () => sharing(server, quota, options)));
      return { all, proxy };
    }
    const sum = (counts: number[]) => counts.reduce((total, count) => total + count, 0);
    const eachAllowed = (all: Quota[], asked: number) => Promise.all(all.map((limits) => allowed(limits, 'key:a', asked)));

    test('from the start of a window, each grants its share of the quota and all of them the quota', async () => {
      const { all, proxy } = await behindProxy();
      proxy.delayMs = slowMs;
      expect(await eachAllowed(all, quota)).toEqual([100, 100, 100]);
    });

    test('within a window, each grants its share of what was left when Redis answered last', async () => {
      const { all, proxy } = await behindProxy();
      const before = sum(await eachAllowed(all, 60));
      proxy.delayMs = slowMs;
      const after = sum(await eachAllowed(all, quota));
      expect(before).toBe(180);
      // A process knows the count of its own last lease; the others took at most a few after it.
      expect(before + after).toBeGreaterThanOrEqual(quota - processes * 3);
      expect(before + after).toBeLessThanOrEqual(quota + processes * 3 * processes);
    });

    test('back at Redis, each tells what it took alone, and the rest of the quota is what is left', async () => {
      const { all, proxy } = await behindProxy();
      const since = lines.length;
      const said = (text: string) => lines.slice(since).filter(({ msg }) => msg?.includes(text)).length;
      proxy.delayMs = slowMs;
      const alone = sum(await eachAllowed(all, 60));
      expect(said('counts for itself')).toBe(processes);
      proxy.delayMs = 0;
      await waitFor('the answer of Redis', () => said('shared by Redis again') === processes, 15_000);
      const shared: number[] = [];
      for (let round = 0; round < quota; round += 1) for (const limits of all) shared.push(await allowed(limits, 'key:a', 1));
      expect(alone).toBe(180);
      expect(alone + sum(shared)).toBeGreaterThanOrEqual(quota - processes * 3);
      expect(alone + sum(shared)).toBeLessThanOrEqual(quota);
    });

    test('a share that is spent refuses no longer once Redis is back, and says a second', async () => {
      const { all, proxy } = await behindProxy();
      const since = lines.length;
      proxy.delayMs = slowMs;
      expect(await allowed(all[0]!, 'key:a', 200)).toBe(100);
      expect(await all[0]!.take('key:a')).toMatchObject({ isAllowed: false, resetSeconds: 1 });
      proxy.delayMs = 0;
      const isBack = () => lines.slice(since).some(({ msg }) => msg?.includes('shared by Redis again'));
      await waitFor('the answer of Redis', isBack, 15_000);
      await waitFor('the rest of the quota', async () => (await all[0]!.take('key:a')).isAllowed, 10_000);
      const rest = await allowed(all[0]!, 'key:a', quota);
      expect(rest).toBeLessThanOrEqual(199);
      // The question that was too slow was counted all the same, and a share is told in whole leases.
      expect(rest).toBeGreaterThanOrEqual(199 - 2 * 3);
    });

    test('at worst, when one process took all before, the others grant their shares once more', async () => {
      const { all, proxy } = await behindProxy();
      expect(await allowed(all[0]!, 'key:a', 400)).toBe(quota);
      proxy.delayMs = slowMs;
      expect(await eachAllowed(all, quota)).toEqual([0, 100, 100]);
    });

    test.each([1, 2, 4, 50])(
      'of a quota of %i no process is left without any, and the parts of a request are rounded up',
      async (small) => {
        const server = await startRedis();
        await server.stop();
        const limits = unconnected(server, small, { processes });
        expect(await allowed(limits, 'key:a', 100)).toBe(Math.ceil(small / processes));
      },
    );
  });

  describe('without Redis', () => {
    const said = (text: string, since: number) => lines.slice(since).filter(({ msg }) => msg?.includes(text)).length;

    test('frozen, each counts for itself, asks no more, and shares again once it answers', async () => {
      const server = await startRedis();
      const client = clientOf(server);
      const [one, two] = [await sharing(server, 50), await sharing(server, 50)];
      expect(await allowed(one, 'key:a', 20)).toBe(20);
      const since = lines.length;
      server.freeze();
      // All of it is answered while Redis says nothing: what it told last counts.
      expect(await allowed(one, 'key:a', 100)).toBe(30);
      expect(await allowed(two, 'key:a', 100)).toBe(50);
      expect(await Promise.all(Array.from({ length: 80 }, (_, index) => one.take(`key:${index}`)))).toHaveLength(80);
      expect(said('counts for itself', since)).toBe(2);

      server.thaw();
      await waitFor('the answer of Redis', () => said('shared by Redis again', since) === 2);
      // On a loaded machine one of them may fall away again meanwhile, which is said: then in another window.
      let window = 0;
      const shares = await waitFor('a window that both share', async () => {
        window += 1;
        const falls = said('counts for itself', since);
        const taken = [await allowed(one, `key:after-${window}`, 30), await allowed(two, `key:after-${window}`, 100)];
        const isShared = said('counts for itself', since) === falls && said('shared by Redis again', since) === falls;
        return isShared && taken;
      });
      expect(shares).toEqual([30, 20]);
      // Two questions were under way when it froze, and counted when it thawed: none of the hundreds after them was asked.
      expect(Number(await client.get('kanal:limits:key:a'))).toBeLessThanOrEqual(22);
    });

    test('killed, each counts for itself at once, and shares again when it is back', async () => {
      const server = await startRedis();
      const limits = await sharing(server, 50);
      await server.kill('SIGKILL');
      expect(await allowed(limits, 'key:a', 100)).toBe(50);
      await server.start();
      const client = clientOf(server);
      await waitFor('a count in Redis', async () => {
        await limits.take(`key:${Math.random()}`);
        return (await client.keys('kanal:limits:*')).length > 0;
      });
    });

    test('not there at the start, it counts for itself', async () => {
      const server = await startRedis();
      await server.stop();
      const limits = unconnected(server, 50);
      expect(await allowed(limits, 'key:a', 100)).toBe(50);
    });

    test('full, so that it refuses to count, it counts for itself', async () => {
      const server = await startRedis();
      const limits = await sharing(server, 50);
      const since = lines.length;
      await clientOf(server).config('SET', 'maxmemory', '1');
      expect(await allowed(limits, 'key:a', 100)).toBe(50);
      expect(said('counts for itself', since)).toBe(1);
    });
  });
}
