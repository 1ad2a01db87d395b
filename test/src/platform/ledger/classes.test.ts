import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { query } from '../../../../src/platform/database/query.ts';
import { uuidv7 } from '../../../../src/platform/ids.ts';
import { registerContracts } from '../../../../src/platform/ledger/contracts.ts';
import { Job } from '../../../../src/platform/ledger/jobs.entity.ts';
import { takeTurn } from '../../../../src/platform/ledger/pace.ts';
import { fillPool, holdPool, letPoolGo, setPool } from '../../../../src/platform/ledger/pools.ts';
import { retryJob } from '../../../../src/platform/ledger/retry.ts';
import { stuckPools } from '../../../../src/platform/ledger/stuck-pools.ts';
import { poolsWithRoom } from '../../../../src/platform/ledger/sweep.ts';
import { type House, openHouse, playing } from '../../../support/house.ts';
import { databaseNowMs, hourMs, inMs, minuteMs, secondMs } from '../../../support/rules/clock.ts';
import { countJobs, makeCheckDue, setJobState, setJobs, storeWaiting } from '../../../support/rules/ledger-jobs.ts';
import { setPools } from '../../../support/rules/pools.ts';
import { playJob } from '../../../support/toys.ts';
import { waitFor } from '../../../support/wait-for.ts';

const bulky = { ...playJob, bulkQueue: 'bulk-messages' as const };

let house: House;
beforeAll(async () => {
  house = await openHouse();
  registerContracts([bulky]);
});
afterAll(() => house.close());
beforeEach(async () => {
  await house.reset();
  await setPool(house.em(), house.pool('toys'), 80, 80);
});

const burst = (size: number, kind: 0 | 1, pool = 'toys') =>
  storeWaiting(house.em(), house.organizationId, { count: size, class: kind, pool });
const now = () => databaseNowMs(house.em());
const fill = () => fillPool(house.database, house.pool('toys'));
const placed = async () => {
  const inSlot = (kind: 0 | 1) => countJobs(house.em(), { class: kind, state: 'queued', slot_at: { $ne: null } });
  return [await inSlot(0), await inSlot(1)];
};
/** The places of a class, in ms from `since`, by the database's clock. */
const placesOf = async (kind: 0 | 1, since = 0) => {
  const ids = new Set((await house.em().find(Job, { class: kind })).map(({ id }) => id));
  const places = (await house.rows()).flatMap(({ id, slot_at }) => (slot_at !== null && ids.has(id) ? [slot_at - since] : []));
  return places.sort((a, b) => a - b);
};

describe('a fill', () => {
  test('gives bulk work a quarter of the width, however much of it waits: a quarter of a second of the rate', async () => {
    await burst(100, 1);
    expect(await fill()).toHaveLength(20);
    expect(await fill()).toEqual([]);
    expect(await placed()).toEqual([0, 20]);
    expect((await placesOf(1, await now())).at(-1)).toBeLessThanOrEqual(250);
  });

  test('gives it one place of a pool with fewer than four', async () => {
    await setPool(house.em(), house.pool('toys'), 3, 3);
    await burst(5, 1);
    await fill();
    expect(await placed()).toEqual([0, 1]);
  });

  test('serves conversation first, and bulk work with what is left', async () => {
    await burst(100, 1);
    await burst(70, 0);
    await fill();
    expect(await placed()).toEqual([70, 10]);
    const [conversation, bulk] = [await placesOf(0), await placesOf(1)];
    expect(bulk[0]! - conversation.at(-1)!).toBeCloseTo(1_000 / (80 * 1.045), 0);
  });

  test('gives a row of conversation behind a hundred of bulk the next place, which is now', async () => {
    await burst(100, 1);
    await fill();
    await burst(1, 0);
    expect(await fill()).toHaveLength(1);
    expect(await placed()).toEqual([1, 20]);
    expect((await placesOf(0, await now()))[0]).toBeLessThanOrEqual(0);
  });

  test('plans several rows of conversation among bulk work one after the other', async () => {
    await burst(100, 1);
    await fill();
    await burst(2, 0);
    await fill();
    await burst(1, 0);
    await fill();
    const [first, second, third] = await placesOf(0);
    expect(second! - first!).toBeCloseTo(1_000 / (80 * 1.045), 0);
    expect(third! - second!).toBeCloseTo(1_000 / (80 * 1.045), 0);
  });
});

describe('the birth of a row', () => {
  const states = async () => (await house.rows()).map(({ state, queue }) => `${state} in ${queue}`);

  test('in bulk waits for a fill, in a queue of its own, and holds back no conversation', async () => {
    await holdPool(house.em(), house.pool('toys'), null);
    await house.accept({ contract: bulky, pool: 'toys', class: 'bulk' });
    expect(await states()).toEqual(['waiting in bulk-messages']);
    await letPoolGo(house.em(), house.pool('toys'));
    await house.accept({ contract: bulky, pool: 'toys' });
    expect((await states())[1]).toBe('queued in default');
  });

  test('of many in one transaction follows the same rule', async () => {
    await holdPool(house.em(), house.pool('toys'), null);
    await house.ledger.transact({}, async (tx) => {
      for (const kind of ['bulk', 'conversation', 'bulk'] as const)
        tx.enqueue(bulky, house.organizationId, { toy_id: uuidv7() }, { pool: 'toys', class: kind });
    });
    expect(await house.em().find(Job, {}, { orderBy: { seq: 'asc' } })).toMatchObject([
      { class: 1, queue: 'bulk-messages' },
      { class: 0, queue: 'default' },
      { class: 1, queue: 'bulk-messages' },
    ]);
  });

  test('in bulk without a pool is queued at once; of a job that has no queue for bulk work is refused', async () => {
    await house.accept({ contract: bulky, class: 'bulk' });
    expect(await states()).toEqual(['queued in bulk-messages']);
    await expect(house.accept({ class: 'bulk' })).rejects.toThrow('toys.play has no queue for bulk work');
  });

  test.each([
    ['conversation', 'queued'],
    ['bulk', 'waiting'],
  ] as const)('a row of %s that its lane releases is %s, though bulk work waits', async (kind, state) => {
    // A pool of its own: fills that an earlier test asked for may still look at the other, and a locked pool gives no room.
    await setPool(house.em(), house.pool('games'), 1, 80);
    const head = await house.accept({ contract: bulky, lane: 'a:1' });
    const next = await house.accept({ contract: bulky, lane: 'a:1', pool: 'games', class: kind });
    if (kind === 'bulk') await holdPool(house.em(), house.pool('games'), hourMs);
    await burst(3, 1, 'games');
    expect((await house.row(next.id))?.state).toBe('blocked');
    await house.run(playing(bulky), { id: head.id });
    expect((await house.row(next.id))?.state).toBe(state);
  });
});

test('a retry keeps the class and its queue', async () => {
  await holdPool(house.em(), house.pool('toys'), null);
  const { id } = await house.accept({ contract: bulky, pool: 'toys', class: 'bulk' });
  await setJobs(house.em(), { state: 'failed', queue: 'default' });
  expect(await retryJob(house.ledger.transact, id)).toBe(true);
  expect(await house.em().find(Job, {})).toMatchObject([{ class: 1, queue: 'bulk-messages', state: 'waiting' }]);
});

test('the sweep gives a lost bulk row back to its queue', async () => {
  await house.accept({ contract: bulky, pool: 'toys', class: 'bulk' });
  await waitFor('the fill', async () => (await house.rows())[0]!.state === 'queued');
  house.dispatched.length = 0;
  await makeCheckDue(house.em());
  const states = house.queues.states;
  Object.assign(house.queues, { states: async (rows: unknown[]) => rows.map(() => 'unknown') });
  await house.sweep().finally(() => Object.assign(house.queues, { states }));
  expect(house.dispatched.map(({ queue }) => queue)).toEqual(['bulk-messages']);
});

test('bulk work that has its share is neither stuck nor swept; conversation behind it is', async () => {
  // Not the pool of the other tests, whose fills may still look.
  await setPool(house.em(), house.pool('still'), 80, 80);
  await burst(100, 1, 'still');
  await fillPool(house.database, house.pool('still'));
  await setJobs(house.em(), { run_at: inMs(-2 * minuteMs), created_at: inMs(-30 * secondMs) });
  await setPools(house.em(), { filledInMs: -2 * minuteMs });
  expect(await query(house.em(), poolsWithRoom)).toEqual([]);
  expect(await query(house.em(), stuckPools)).toEqual([]);
  await burst(1, 0, 'still');
  await setJobs(house.em(), { run_at: inMs(-2 * minuteMs) }, { state: 'waiting' });
  expect(await query(house.em(), poolsWithRoom)).toHaveLength(1);
  expect(await query(house.em(), stuckPools)).toHaveLength(1);
});

describe('the claim', () => {
  const early = async (kind: 0 | 1, tatMs: number) => {
    const [id] = await burst(1, kind);
    await setJobState(house.em(), id!, 'queued');
    await setPools(house.em(), { tatInMs: tatMs, planInMs: secondMs, rate: 1 });
    return takeTurn(house.em(), (await house.row(id!))!);
  };

  test('of conversation that is too early among bulk work comes just before the next of these', async () => {
    await burst(4, 1);
    await fill();
    const waitMs = (await early(0, 500))!;
    expect(waitMs).toBeGreaterThan(100);
    expect(waitMs).toBeLessThanOrEqual(480);
  });

  test.each([
    ['bulk work', 1, 4],
    ['conversation alone', 0, 0],
  ] as const)('of %s that is too early comes at the end of the plan', async (_what, kind, others) => {
    await burst(others, 1);
    await fill();
    expect(await early(kind, 500)).toBeGreaterThan(500);
  });
});
