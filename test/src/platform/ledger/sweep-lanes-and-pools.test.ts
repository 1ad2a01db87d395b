import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { query } from '../../../../src/platform/database/query.ts';
import { checkJobs } from '../../../../src/platform/ledger/check.ts';
import { takeLocks } from '../../../../src/platform/ledger/locks.ts';
import { holdPool, letPoolGo, setPool } from '../../../../src/platform/ledger/pools.ts';
import { type House, openHouse } from '../../../support/house.ts';
import { deleteJob, makeCheckDue, storeWaiting } from '../../../support/rules/ledger-jobs.ts';
import { storePools } from '../../../support/rules/pools.ts';
import { turns } from '../../../support/turns.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());
beforeEach(async () => {
  await house.reset();
  await setPool(house.em(), house.pool('toys'), 3, null);
});

/** Rows whose fill after the commit was lost with its process. */
const unfilled = (count: number) => storeWaiting(house.em(), house.organizationId, { count });

test('rule 4: the sweep fills pools with waiting rows', async () => {
  await unfilled(5);
  expect(await house.sweep()).toMatchObject({ pools: 1 });
  expect((await house.rows()).map(({ state }) => state)).toEqual(['queued', 'queued', 'queued', 'waiting', 'waiting']);
  expect(house.dispatched).toHaveLength(3);
});

test('rule 4: the sweep leaves held pools', async () => {
  await unfilled(2);
  await holdPool(house.em(), house.pool('toys'), null);
  expect(await house.sweep()).toMatchObject({ pools: 0 });
  expect(house.dispatched).toHaveLength(0);
});

test('rule 4: the sweep gives a lane without a head its oldest', async () => {
  const [first, second, third] = [
    await house.accept({ lane: 'a:1' }),
    await house.accept({ lane: 'a:1' }),
    await house.accept({ lane: 'a:1' }),
  ];
  await deleteJob(house.em(), first!.id);
  house.dispatched.length = 0;
  expect(await house.sweep()).toMatchObject({ lanes: 1 });
  expect((await house.row(second!.id))?.state).toBe('queued');
  expect((await house.row(third!.id))?.state).toBe('blocked');
  expect(house.dispatched).toEqual([expect.objectContaining({ id: second!.id })]);
  expect(await house.sweep()).toMatchObject({ lanes: 0 });
  expect(await checkJobs(house.database)).toEqual([expect.objectContaining({ rule: 'a subject without an end has a live row' })]);
});

test('rule 4: a lane whose next has a pool waits for its room', async () => {
  const first = await house.accept({ lane: 'a:1', pool: 'toys' });
  const second = await house.accept({ lane: 'a:1', pool: 'toys' });
  await house.ledger.fill(house.pool('toys'));
  await holdPool(house.em(), house.pool('toys'), null);
  await deleteJob(house.em(), first.id);
  await house.sweep();
  expect((await house.row(second.id))?.state).toBe('waiting');
  // The fill that the sweep asked for must be over: while it looks, a sweep passes over the pool.
  await house.ledger.fill(house.pool('toys'));
  await letPoolGo(house.em(), house.pool('toys'));
  await house.sweep();
  expect((await house.row(second.id))?.state).toBe('queued');
});

test('rule 4: many sweepers at once give a lane one head', async () => {
  const first = await house.accept({ lane: 'a:1' });
  for (let index = 0; index < 5; index += 1) await house.accept({ lane: 'a:1' });
  await deleteJob(house.em(), first.id);
  house.dispatched.length = 0;
  await Promise.all([house.sweep(), house.sweep(), house.sweep(), house.sweep()]);
  expect((await house.rows()).filter(({ state }) => state === 'queued')).toHaveLength(1);
  expect(house.dispatched).toHaveLength(1);
});

test('rule 4: a sweep waits for no filler that is asked again and again', async () => {
  await setPool(house.em(), house.pool('toys'), 1, null);
  let isBusy = true;
  const asking = (async () => {
    while (isBusy) await Promise.race([house.ledger.fill(house.pool('toys')), turns(1)]);
  })();
  const { id } = await house.accept();
  await makeCheckDue(house.em(), { id });
  // The filler is asked until the sweep is over: one that waited for it would never be.
  expect(await house.sweep()).toMatchObject({ looked: 1, isWhole: true });
  isBusy = false;
  await asking;
});

test('rule 4: a sweep passes over a lane somebody works in', async () => {
  const first = await house.accept({ lane: 'a:1' });
  const second = await house.accept({ lane: 'a:1' });
  await deleteJob(house.em(), first.id);
  await house.database.transaction(async (em) => {
    await takeLocks(em, ['a:1']);
    expect(await house.sweep()).toMatchObject({ lanes: 0 });
  });
  expect(await house.sweep()).toMatchObject({ lanes: 1 });
  expect((await house.row(second.id))?.state).toBe('queued');
});

test('rule 4: of many pools that wait, what a sweep has no time for is left to the next', async () => {
  await storePools(house.em(), house.organizationId, { count: 500, prefix: 'toys:' });
  for (let index = 1; index <= 500; index += 1) await storeWaiting(house.em(), house.organizationId, { pool: `toys:${index}` });
  const findings = await house.sweepAll();
  expect(findings).toMatchObject({ isWhole: true });
  expect(findings.pools).toBeGreaterThanOrEqual(500);
  expect((await house.rows()).every(({ state }) => state === 'queued')).toBe(true);
});

test('rule 4: a sweep passes over a pool that somebody has locked', async () => {
  await unfilled(2);
  await house.database.transaction(async (em) => {
    await query(em, 'select 1 from pools for update');
    // It is locked until the sweep is over: one that waited for it would never be.
    await house.sweep();
    expect(house.dispatched).toHaveLength(0);
  });
  await house.sweep();
  expect(house.dispatched).toHaveLength(2);
});
