import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Dispatched } from '../../../../src/platform/ledger/accept.ts';
import { endDoneOfSubjects } from '../../../../src/platform/ledger/end-subjects.ts';
import { Pool } from '../../../../src/platform/ledger/jobs.entity.ts';
import { holdPool, setPool } from '../../../../src/platform/ledger/pools.ts';
import { endDone, endFailed } from '../../../../src/platform/ledger/release.ts';
import { decide, readRun } from '../../../../src/platform/ledger/run.ts';
import { createTransact, type Transact } from '../../../../src/platform/ledger/transact.ts';
import type { EnqueueOptions } from '../../../../src/platform/ledger/tx.ts';
import { type House, openHouse } from '../../../support/house.ts';
import { inMs, minuteMs, secondMs } from '../../../support/rules/clock.ts';
import { deleteJob, letOthersPass, setJobs, storedJob, storeJobs } from '../../../support/rules/ledger-jobs.ts';
import { setPools } from '../../../support/rules/pools.ts';
import { newToy, playJob } from '../../../support/toys.ts';

let house: House;
/** Without what follows a commit: no fill changes what was written. */
let transact: Transact;
const dispatched: Dispatched[] = [];
beforeAll(async () => {
  house = await openHouse(undefined, { poolMax: 20 });
  transact = createTransact(house.database, (given) => void dispatched.push(given));
});
afterAll(() => house.close());
beforeEach(async () => {
  await house.reset();
  dispatched.length = 0;
  await setPool(house.em(), house.pool('toys'), 3, null);
});

type Accepted = { id: string; toyId: string };
type Lane = { lane: string; head: Accepted; next: Accepted };

async function accept(options: EnqueueOptions): Promise<Accepted> {
  const toyId = await newToy(house.em(), playJob.name);
  const id = await transact({ locks: options.lane ? [options.lane] : [] }, async (tx) =>
    tx.enqueue(playJob, house.organizationId, { toy_id: toyId }, options),
  );
  return { id, toyId };
}

async function laneOf(lane: string, next: EnqueueOptions = { pool: 'toys' }, head: EnqueueOptions = {}): Promise<Lane> {
  const both = { lane, head: await accept({ ...head, lane }), next: await accept({ ...next, lane }) };
  expect((await written(both.next)).state).toBe('blocked');
  return both;
}
async function written({ id }: Accepted) {
  const row = (await house.row(id))!;
  return { state: row.state, hasPlace: row.slot_at !== null };
}
const refOf = ({ id }: Accepted) => ({ organization_id: house.organizationId, id, run: 1 });
const end = ({ lane, head }: Lane) =>
  transact({ locks: [lane], isOneTrip: true }, async (tx) => endDone(tx, { ...refOf(head), lane }));

const placed = { state: 'queued', hasPlace: true };
const waits = { state: 'waiting', hasPlace: false };

describe('the next of a lane', () => {
  test('is queued by the end before it where its pool has room, and goes to the queue without a fill', async () => {
    const lane = await laneOf('a:1');
    dispatched.length = 0;
    await end(lane);
    expect(await written(lane.next)).toEqual(placed);
    expect(dispatched).toEqual([{ rows: [expect.objectContaining({ id: lane.next.id })], pools: [], joined: [] }]);
  });

  test('takes the place of the row that ends, where that was the last', async () => {
    await setPool(house.em(), house.pool('toys'), 1, null);
    const lane = await laneOf('a:1', { pool: 'toys' }, { pool: 'toys' });
    await end(lane);
    expect(await written(lane.next)).toEqual(placed);
  });

  test('is queued also after one that failed', async () => {
    const { lane, head, next } = await laneOf('a:1', { pool: 'toys' }, { pool: 'toys' });
    await transact({ locks: [lane] }, async (tx) => endFailed(tx, { ...refOf(head), lane }, { code: 'refused', message: 'no' }));
    expect(await written(next)).toEqual(placed);
  });

  test('of several lanes that end together has room only where it fits', async () => {
    const lanes: Lane[] = [];
    for (let n = 1; n <= 5; n += 1) lanes.push(await laneOf(`a:${n}`));
    const toyIds = lanes.map(({ head }) => head.toyId);
    await transact({ locks: lanes.map(({ lane }) => lane), isOneTrip: true }, async (tx) =>
      endDoneOfSubjects(tx.of(house.organizationId), playJob.name, toyIds),
    );
    const states = await Promise.all(lanes.map(({ next }) => written(next)));
    expect(states.filter(({ state }) => state === 'queued')).toEqual([placed, placed, placed]);
    expect(states.filter(({ state }) => state === 'waiting')).toEqual([waits, waits]);
  });

  test('without a pool is queued, and has no place', async () => {
    const lane = await laneOf('a:1', {});
    await end(lane);
    expect(await written(lane.next)).toEqual({ state: 'queued', hasPlace: false });
  });
});

describe('a row that is released meets the same rule as a new one', () => {
  const pools = (change: Parameters<typeof setPools>[1]) => () => setPools(house.em(), change);
  const jobs = (change: Parameters<typeof setJobs>[1], lanes: string[]) => () =>
    setJobs(house.em(), { pool: 'toys', ...change }, { lane: { $in: lanes } });
  const nothing = async () => undefined;

  test.each<[string, () => Promise<unknown>, typeof placed, EnqueueOptions?]>([
    ['has room', nothing, placed],
    ['was held', pools({ heldInMs: -secondMs }), placed],
    ['has a pace and a plan that have come', pools({ rate: 1, tatInMs: 0, planInMs: 0 }), placed],
    ['has one place', jobs({ slot_at: inMs(0) }, ['full:1', 'full:2']), placed],
    ['is held', () => holdPool(house.em(), house.pool('toys'), null), waits],
    ['has a pace that is ahead', pools({ rate: 1, tatInMs: minuteMs }), waits],
    ['has a plan that is ahead', pools({ rate: 1, planInMs: minuteMs }), waits],
    ['has no place', jobs({ slot_at: inMs(0) }, ['full:1', 'full:2', 'full:3']), waits],
    [
      'has one who waits and lets all others pass',
      async () => letOthersPass(house.em(), await storedJob(house.em(), { lane: 'full:1' }), 'toys'),
      placed,
    ],
    ['has one who waits', jobs({ state: 'waiting' }, ['full:1']), waits],
    ['does not exist', () => house.em().nativeDelete(Pool, {}), waits],
    ['has room for another time', nothing, waits, { delayMs: minuteMs }],
  ])('when its pool %s', async (_what, change, expected, more = {}) => {
    for (const lane of ['full:1', 'full:2', 'full:3']) await accept({ lane });
    const lane = await laneOf('a:1', { pool: 'toys', ...more });
    await change();
    await end(lane);
    expect(await written(lane.next)).toEqual(expected);
    await deleteJob(house.em(), lane.next.id);
    expect(await written(await accept({ pool: 'toys', ...more }))).toEqual(expected);
  });

  test('a pool with more than a hundred rows that have room gives none', async () => {
    await setPool(house.em(), house.pool('toys'), 500, null);
    const lane = await laneOf('a:1');
    await storeJobs(house.em(), house.organizationId, { count: 100, pool: 'toys', slotInMs: 0 });
    await end(lane);
    expect(await written(lane.next)).toEqual(waits);
    await deleteJob(house.em(), lane.next.id);
    expect(await written(await accept({ pool: 'toys' }))).toEqual(waits);
  });
});

test('ends that commit together may give away more room than there is, and none runs beyond the width', async () => {
  const lanes: Lane[] = [];
  for (let n = 1; n <= 8; n += 1) lanes.push(await laneOf(`a:${n}`));
  await setPool(house.em(), house.pool('toys'), 8, null);
  await Promise.all(lanes.map(end));
  expect(await Promise.all(lanes.map(({ next }) => written(next)))).toEqual(lanes.map(() => placed));
  await setPool(house.em(), house.pool('toys'), 3, null);
  const decisions = await Promise.all(
    lanes.map(async ({ next: { id } }) => decide(await readRun(house.em(), { organization_id: house.organizationId, id }), 1, 0)),
  );
  expect(decisions).toEqual(lanes.map(() => 'room'));
});
