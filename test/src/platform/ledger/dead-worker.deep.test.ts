import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { neverFailStalled } from '../../../../src/platform/ledger/backends/backend.ts';
import { runId } from '../../../../src/platform/ledger/queues.ts';
import { describeEachBackend } from '../../../support/backends.ts';
import { useKilledWorkers } from '../../../support/killed-workers.ts';
import { playJob, throwJob } from '../../../support/toys.ts';
import { waitFor } from '../../../support/wait-for.ts';

describeEachBackend('rule 5: a worker that is killed', (makeBackend) => {
  const { house, worker, runs, killDuring } = useKilledWorkers(makeBackend);

  test('over and over: the fifth death at work, after two that may be chance, fails its row as crashed, and BullMQ never does before', async () => {
    expect(neverFailStalled.maxStalledCount).toBeGreaterThan(1_000);
    const { id, toyId } = await house().accept({ contract: playJob });
    for (let kills = 1; kills <= 7; kills += 1) await killDuring(kills, toyId);
    expect(await house().row(id)).toMatchObject({ state: 'queued', run: 1, attempts: 0 });
    const last = await worker();
    await waitFor('its end', async () => (await house().row(id))?.state === 'failed');
    expect(await house().row(id)).toMatchObject({ error: { code: 'crashed' } });
    expect(await house().toy(toyId)).toMatchObject({ status: 'failed', reason: 'crashed', effects: 7 });
    const queue = house().queues.queue('default')!;
    const theRun = runId({ id, run: 1 });
    await waitFor('the end of the run', async () => (await queue.getJobState(theRun)) === 'failed');
    const job = await queue.getJob(theRun);
    expect(job?.failedReason).toMatch(/^crashed: /);
    last.kill('SIGKILL');
    await last.exited;
  });

  test('over and over: what may have been sent is not called a crash, its eighth run looks what came of it', async () => {
    const thrown = await house().accept({ contract: throwJob });
    for (let kills = 1; kills <= 7; kills += 1) await killDuring(kills, thrown.toyId);
    const last = await worker();
    await waitFor('its eighth run', async () => (await runs(thrown.toyId)) === 8);
    expect(await house().toy(thrown.toyId)).toMatchObject({ status: 'sending' });
    expect(await house().row(thrown.id)).toMatchObject({ state: 'queued', attempts: 0 });
    last.kill('SIGKILL');
    await last.exited;
  });

  test('of two that were under way at three deaths one is at work at a time', async () => {
    const both = [await house().accept({ contract: playJob }), await house().accept({ contract: playJob })];
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
