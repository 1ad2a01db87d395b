import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import type { MakeBackend } from './backends.ts';
import { type House, openHouse } from './house.ts';
import { spawnNode } from './processes.ts';
import { testHashKey, testSecretKey } from './secrets.ts';
import { waitFor } from './wait-for.ts';

/** A house whose workers are processes of their own, to be killed during a run of a toy; each run takes a minute. */
export function useKilledWorkers(makeBackend: MakeBackend) {
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

  return { house: () => house, worker, runs, killDuring };
}
