import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { neverFailStalled } from '../../../../src/platform/ledger/backends/backend.ts';
import { runId } from '../../../../src/platform/ledger/queues.ts';
import { describeEachBackend } from '../../../support/backends.ts';
import { type House, openHouse } from '../../../support/house.ts';
import { spawnNode } from '../../../support/processes.ts';
import { testHashKey, testSecretKey } from '../../../support/secrets.ts';
import { playJob, throwJob } from '../../../support/toys.ts';
import { waitFor } from '../../../support/wait-for.ts';

describeEachBackend('rule 5: a worker that is killed', (makeBackend) => {
  let house: House;
  beforeAll(async () => {
    house = await openHouse(makeBackend);
  });
  afterAll(() => house.close());
  beforeEach(() => house.reset());

  const worker = () =>
    spawnNode(
      'test/support/children/toy-worker.ts',
      {
        DATABASE_URL: house.url,
        QUEUE_URL: makeBackend.queueUrl ?? '',
        SECRET_KEY: testSecretKey,
        HASH_KEY: testHashKey,
        LOCK_DURATION_MS: '1500',
        STALLED_INTERVAL_MS: '300',
        RUN_RETRY_DELAY_MS: '100',
      },
      'toy worker started',
    );
  const runs = async (toyId: string) => (await house.toy(toyId)).effects;
  async function killDuring(run: number, ...toyIds: string[]) {
    const child = await worker();
    for (const toyId of toyIds) await waitFor(`run ${run}`, async () => (await runs(toyId)) === run);
    child.kill('SIGKILL');
    await child.exited;
  }

  test('its run is taken over by another worker', async () => {
    const { id, toyId } = await house.accept();
    await killDuring(1, toyId);
    expect(await house.row(id)).toMatchObject({ state: 'queued', run: 1 });
    await house.sql(`update toys set reason = 'quick'`);
    const other = await worker();
    await waitFor('the work', async () => (await house.toy(toyId)).status === 'done');
    expect(await runs(toyId)).toBe(2);
    expect(await house.row(id)).toBeUndefined();
    other.kill('SIGKILL');
    await other.exited;
  });

  test('over and over: the fifth death at work, after two that may be chance, fails its row as crashed, and BullMQ never does before', async () => {
    expect(neverFailStalled.maxStalledCount).toBeGreaterThan(1_000);
    const { id, toyId } = await house.accept({ contract: playJob });
    for (let kills = 1; kills <= 7; kills += 1) await killDuring(kills, toyId);
    expect(await house.row(id)).toMatchObject({ state: 'queued', run: 1, attempts: 0 });
    const last = await worker();
    await waitFor('its end', async () => (await house.row(id))?.state === 'failed');
    expect(await house.row(id)).toMatchObject({ error: { code: 'crashed' } });
    expect(await house.toy(toyId)).toMatchObject({ status: 'failed', reason: 'crashed', effects: 7 });
    const queue = house.queues.queue('default')!;
    const theRun = runId({ id, run: 1 });
    await waitFor('the end of the run', async () => (await queue.getJobState(theRun)) === 'failed');
    const job = await queue.getJob(theRun);
    expect(job?.failedReason).toMatch(/^crashed: /);
    last.kill('SIGKILL');
    await last.exited;
  });

  test('over and over: what may have been sent is not called a crash, its eighth run looks what came of it', async () => {
    const thrown = await house.accept({ contract: throwJob });
    for (let kills = 1; kills <= 7; kills += 1) await killDuring(kills, thrown.toyId);
    const last = await worker();
    await waitFor('its eighth run', async () => (await runs(thrown.toyId)) === 8);
    expect(await house.toy(thrown.toyId)).toMatchObject({ status: 'sending' });
    expect(await house.row(thrown.id)).toMatchObject({ state: 'queued', attempts: 0 });
    last.kill('SIGKILL');
    await last.exited;
  });

  test('of two that were under way at three deaths one is at work at a time', async () => {
    const both = [await house.accept({ contract: playJob }), await house.accept({ contract: playJob })];
    const toyIds = both.map(({ toyId }) => toyId);
    for (let kills = 1; kills <= 3; kills += 1) await killDuring(kills, ...toyIds);
    const last = await worker();
    await waitFor('a fourth run', async () => (await runs(toyIds[0]!)) + (await runs(toyIds[1]!)) === 7);
    // It never ends: the other one does not begin.
    await sleep(3_000);
    expect((await runs(toyIds[0]!)) + (await runs(toyIds[1]!))).toBe(7);
    last.kill('SIGKILL');
    await last.exited;
  });
});
