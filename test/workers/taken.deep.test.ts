import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { postgresBackend } from '../../src/platform/ledger/backends/postgres.ts';
import { redisBackend } from '../../src/platform/ledger/backends/redis.ts';
import { queueNames } from '../../src/platform/ledger/queue-names.ts';
import { describeEachBackend, type MakeBackend } from '../support/backends.ts';
import { type Distance, putAtDistance } from '../support/distance.ts';
import { type House, openHouse, playing } from '../support/house.ts';
import { collectingLog } from '../support/log.ts';
import { waitFor } from '../support/wait-for.ts';

/** The queue is this far away: to take all runs takes longer than a run may be silent. */
const roundTripMs = 60;
const runs = 120;
const lockMs = 3_000;

describeEachBackend('a queue that answers slowly', (makeBackend) => {
  let house: House;
  let distance: Distance;
  beforeAll(async () => {
    const isRedis = makeBackend.backendName === 'redis';
    distance = await putAtDistance(Number(new URL(isRedis ? makeBackend.queueUrl! : process.env.KANAL_TEST_POSTGRES_URL!).port));
    const far = (url: string) => Object.assign(new URL(url), { port: String(distance.port) }).href;
    const { log } = collectingLog();
    const make = (url: string) =>
      isRedis ? redisBackend(far(makeBackend.queueUrl!), log) : postgresBackend(far(url), queueNames.length, log);
    const { backendName, queueUrl } = makeBackend;
    house = await openHouse(Object.assign(make, { backendName, queueUrl }) as MakeBackend, {
      env: { LOCK_DURATION_MS: String(lockMs), STALLED_INTERVAL_MS: '300' },
    });
  });
  afterAll(async () => {
    await house.close();
    await distance.close();
  });

  test('a run begins soon after it was taken, however many wait, and none counts as dead', async () => {
    for (let number = 0; number < runs; number += 1) await house.accept();
    const waiting = async () => (await house.queues.queue('default')!.getJobCounts('waiting')).waiting;
    await waitFor('the queue', async () => (await waiting()) === runs);
    distance.roundTripMs = roundTripMs;
    const takenAtBegin: number[] = [];
    let taken = 0;
    const stalled: string[] = [];
    const played = playing();
    const handler = {
      ...played,
      run: async (...given: Parameters<typeof played.run>) => {
        takenAtBegin.push(taken);
        await sleep(200);
        return played.run(...given);
      },
    };
    const worker = house.work([handler], { concurrency: runs });
    worker.on('stalled', (id) => stalled.push(id));
    worker.on('active', () => {
      taken += 1;
    });
    await waitFor('the work', async () => (await house.rows()).length === 0);
    expect(stalled).toEqual([]);
    expect(takenAtBegin).toHaveLength(runs);
    expect(takenAtBegin[0]).toBeLessThan(10);
  });
});
