import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { checkJobs } from '../../../../src/platform/ledger/check.ts';
import { setPool } from '../../../../src/platform/ledger/pools.ts';
import { fc, numRuns } from '../../../support/fast-check.ts';
import { type House, openHouse, playing, toyHandler } from '../../../support/house.ts';
import { storedToys } from '../../../support/rules/toys.ts';
import { playJob } from '../../../support/toys.ts';
import { turns } from '../../../support/turns.ts';
import { Workers } from '../../../support/workers-at-work.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

type End = 'finish' | 'again';
const error = { code: 'no', message: 'no' };
const pool = 'toys';

const toyWorkers = () =>
  new Workers<End>(house, ({ id, run, stalls }, gate) => {
    const handler = toyHandler(playJob, async (payload, context) =>
      (await gate(pool)) === 'finish' ? playing().run(payload, context) : context.again(error),
    );
    return house.run(handler, { id, run, stalledCounter: stalls });
  });

async function finishAll(workers: Workers<End>) {
  for (let rounds = 0; rounds < 500; rounds += 1) {
    await workers.end(1_000, 0, 'finish');
    await house.ledger.fill(house.pool(pool));
    await workers.begin(1_000, 0);
    const rows = await house.rows();
    if (rows.every(({ state }) => state === 'failed')) return;
    await turns(1);
  }
  throw new Error(`Not finished: ${JSON.stringify(await house.rows())}`);
}

const count = fc.integer({ min: 1, max: 5 });
const place = fc.nat(20);
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('accept' as const), count, place }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('begin' as const), count, place }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('finish' as const, 'again' as const), count, place }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('crash' as const), count, place }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('fill' as const, 'sweep' as const), count, place }) },
);

async function take(workers: Workers<End>, { kind, count, place }: { kind: string; count: number; place: number }) {
  // Born at once: each may have seen the room that the others take.
  if (kind === 'accept') await Promise.all(Array.from({ length: count }, () => house.accept({ pool: 'toys' })));
  if (kind === 'begin') await workers.begin(count, place);
  if (kind === 'finish' || kind === 'again') await workers.end(count, place, kind);
  if (kind === 'crash') workers.crash(count, place);
  if (kind === 'fill') await Promise.all(Array.from({ length: count }, () => house.ledger.fill(house.pool('toys'))));
  if (kind === 'sweep') await house.sweep();
}

test('whoever dies at whatever moment: no more runs of a pool are at work than its width, and each row comes to its end once', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 4 }), fc.array(step, { minLength: 5, maxLength: 40 }), async (width, steps) => {
      await house.reset();
      await setPool(house.em(), house.pool('toys'), width, null);
      const workers = toyWorkers();
      for (const each of steps) await take(workers, each);
      await finishAll(workers);
      expect(workers.most.get(pool) ?? 0).toBeLessThanOrEqual(width);
      const toys = await storedToys(house.em());
      expect(toys.filter(({ status, effects }) => effects !== (status === 'done' ? 1 : 0) || status === 'open')).toEqual([]);
      expect(await checkJobs(house.database)).toEqual([]);
    }),
    { numRuns: numRuns({ default: 3, deep: 25 }), interruptAfterTimeLimit: 60_000, markInterruptAsFailure: false },
  );
});
