import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { checkJobs } from '../../../../src/platform/ledger/check.ts';
import { holdPool, letPoolGo, setPool } from '../../../../src/platform/ledger/pools.ts';
import { retryJob } from '../../../../src/platform/ledger/retry.ts';
import { fc, numRuns } from '../../../support/fast-check.ts';
import { type House, openHouse, playing, type ToyHandler, toyHandler } from '../../../support/house.ts';
import { makeJobsDue } from '../../../support/rules/ledger-jobs.ts';
import { playJob } from '../../../support/toys.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

const lanes = ['lane:a', 'lane:b', 'lane:c'];
const error = { code: 'no', message: 'no' };
const failing = toyHandler(playJob, (_, context) => context.fail(error));
const trying = toyHandler(playJob, (_, context) => context.again(error));
const ends: Record<string, ToyHandler> = { finish: playing(), fail: failing, again: trying };

const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('accept' as const), lane: fc.nat(2), isPooled: fc.boolean() }) },
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constantFrom('finish' as const, 'fail' as const, 'again' as const), lane: fc.nat(2) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('retry' as const), lane: fc.nat(2) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('hold' as const, 'release' as const), lane: fc.constant(0) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('twice' as const), lane: fc.nat(2) }) },
);

/** The order each lane should have: a row leaves at its end, and comes back behind all others when it is retried. */
class Model {
  readonly live = new Map<string, string[]>(lanes.map((lane) => [lane, []]));
  readonly failed = new Map<string, string[]>(lanes.map((lane) => [lane, []]));
}

const headOf = async (lane: string) => (await house.rows()).find((row) => row.lane === lane && row.state === 'queued');

async function take(model: Model, { kind, lane: index, ...more }: { kind: string; lane: number; isPooled?: boolean }) {
  const lane = lanes[index]!;
  const live = model.live.get(lane)!;
  const failed = model.failed.get(lane)!;
  if (kind === 'accept') live.push((await house.accept({ lane, ...(more.isPooled && { pool: 'toys' }) })).id);
  if (kind === 'hold') await holdPool(house.em(), house.pool('toys'), null);
  if (kind === 'release') await letPoolGo(house.em(), house.pool('toys'));
  if (kind === 'retry' && failed.length > 0) {
    const id = failed.shift()!;
    expect(await retryJob(house.ledger.transact, id)).toBe(true);
    live.push(id);
  }
  await house.ledger.fill(house.pool('toys'));
  const head = await headOf(lane);
  if (!head || !(kind in ends || kind === 'twice')) return;
  expect(head.id).toBe(live[0]);
  await makeJobsDue(house.em(), { id: head.id });
  const handler = ends[kind] ?? playing();
  const results = await Promise.all([house.run(handler, head), ...(kind === 'twice' ? [house.run(handler, head)] : [])]);
  const kinds = results.map((ended) => ended.kind);
  if (kinds.includes('done') || kinds.includes('failed')) live.shift();
  if (kinds.includes('failed')) failed.push(head.id);
  // Retried without end the row would never fail; a run held or put back keeps its place.
  expect(kinds.filter((each) => each === 'done').length).toBeLessThanOrEqual(1);
}

async function inOrder(model: Model) {
  await house.ledger.fill(house.pool('toys'));
  const rows = await house.rows();
  for (const [lane, live] of model.live) {
    const own = rows.filter((row) => row.lane === lane && row.state !== 'failed');
    expect(own.map(({ id }) => id)).toEqual(live);
    expect(own.map(({ state }) => state === 'blocked')).toEqual(live.map((_, place) => place > 0));
  }
  expect(await checkJobs(house.database)).toEqual([]);
}

test('whatever is accepted, ended, held and retried in whatever order: one head a lane, strict order, nothing stuck', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
      await house.reset();
      await setPool(house.em(), house.pool('toys'), 2, null);
      const model = new Model();
      for (const each of steps) {
        await take(model, each);
        await inOrder(model);
      }
    }),
    { numRuns: numRuns({ default: 3, deep: 25 }), interruptAfterTimeLimit: 60_000, markInterruptAsFailure: false },
  );
});
