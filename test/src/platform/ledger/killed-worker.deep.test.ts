import { expect, test } from '@jest/globals';
import { describeEachBackend } from '../../../support/backends.ts';
import { useKilledWorkers } from '../../../support/killed-workers.ts';
import { waitFor } from '../../../support/wait-for.ts';

describeEachBackend('rule 5: a worker that is killed', (makeBackend) => {
  const { house, worker, runs, killDuring } = useKilledWorkers(makeBackend);

  test('its run is taken over by another worker', async () => {
    const { id, toyId } = await house().accept();
    await killDuring(1, toyId);
    expect(await house().row(id)).toMatchObject({ state: 'queued', run: 1 });
    await house().sql(`update toys set reason = 'quick'`);
    const other = await worker();
    await waitFor('the work', async () => (await house().toy(toyId)).status === 'done');
    expect(await runs(toyId)).toBe(2);
    expect(await house().row(id)).toBeUndefined();
    other.kill('SIGKILL');
    await other.exited;
  });
});
