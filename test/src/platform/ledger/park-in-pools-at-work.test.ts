import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { setPool } from '../../../../src/platform/ledger/pools.ts';
import { createSuspects } from '../../../../workers/suspects.ts';
import { startWorker } from '../../../../workers/worker.ts';
import { describeEachBackend } from '../../../support/backends.ts';
import { type House, openHouse, toyHandler } from '../../../support/house.ts';
import { minuteMs } from '../../../support/rules/clock.ts';
import { countJobs, makeCheckDue, storeParked } from '../../../support/rules/ledger-jobs.ts';
import { playJob } from '../../../support/toys.ts';
import { waitFor } from '../../../support/wait-for.ts';

describeEachBackend('what waits in its pool from its time on', (makeBackend) => {
  let house: House;
  beforeAll(async () => {
    house = await openHouse(makeBackend);
  });
  afterAll(() => house.close());

  test('is done once each, though the queue forgot what it was given', async () => {
    const count = 60;
    const pool = 'automation:rules';
    await setPool(house.em(), house.pool(pool), 20, null);
    await storeParked(house.em(), house.organizationId, { count, queue: 'automations', pool, run: 2, runInMs: -minuteMs });
    expect(await house.sweepAll()).toMatchObject({ parked: count });
    const queue = house.queues.queue('automations')!;
    await waitFor('the queue to be given some', async () => (await queue.getJobCountByTypes('waiting', 'prioritized')) === 15);
    await queue.obliterate({ force: true });
    await makeCheckDue(house.em(), { state: 'queued' });

    const done: string[] = [];
    const handler = toyHandler(playJob, (_payload, { row, finish }) => {
      done.push(row.id);
      return finish();
    });
    const sizes = { concurrency: 4, share: 60, open: 160 };
    const handlers = new Map([[playJob.name, handler]]);
    const worker = startWorker(house.deps, house.queues.backend, 'automations', handlers, sizes, createSuspects());
    try {
      await house.sweepAll();
      await waitFor('all to be done', async () => (await countJobs(house.em())) === 0);
    } finally {
      await worker.close();
    }
    expect(done).toHaveLength(count);
    expect(new Set(done).size).toBe(count);
  });
});
