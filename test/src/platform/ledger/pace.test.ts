import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { takeCall, takeTurn } from '../../../../src/platform/ledger/pace.ts';
import { fillPool, holdPool, letPoolGo, setPool, takeRoom } from '../../../../src/platform/ledger/pools.ts';
import { databaseTimer } from '../../../support/database-time.ts';
import { type House, openHouse } from '../../../support/house.ts';
import { databaseNowMs, hourMs, inMs, secondMs } from '../../../support/rules/clock.ts';
import { makeJobsDue, setJobs, storeWaiting } from '../../../support/rules/ledger-jobs.ts';
import { poolTimes, setPools, storedPool } from '../../../support/rules/pools.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());
beforeEach(() => house.reset());

const burst = (size: number) => storeWaiting(house.em(), house.organizationId, { count: size });
const slots = async () => (await house.rows()).flatMap((row) => row.slot_at ?? []);

const queuedRow = async () => {
  await burst(1);
  await fillPool(house.database, house.pool('toys'));
  return (await house.rows()).at(-1)!;
};

describe('the plan', () => {
  test('is a tenth closer than the pace, one after the other', async () => {
    await setPool(house.em(), house.pool('toys'), 100, 100);
    await burst(50);
    await fillPool(house.database, house.pool('toys'));
    const given = await slots();
    expect(given).toHaveLength(50);
    expect(given[49]! - given[0]!).toBeCloseTo((49 * 1_000) / 104.5, -1);
    for (let index = 1; index < given.length; index += 1) expect(given[index]! - given[index - 1]!).toBeGreaterThanOrEqual(9);
  });

  test('a second fill goes on where the first ended', async () => {
    await setPool(house.em(), house.pool('toys'), 600, 50);
    // A plan of several seconds: the second fill comes before its end.
    await burst(300);
    await fillPool(house.database, house.pool('toys'));
    await burst(120);
    await fillPool(house.database, house.pool('toys'));
    const given = (await slots()).sort((a, b) => a - b);
    expect(given).toHaveLength(420);
    const inTwoSecondsFrom = (start: number) => given.filter((slot) => slot >= start && slot < start + 2_000).length;
    expect(Math.max(...given.map(inTwoSecondsFrom))).toBeLessThanOrEqual(106);
    expect(inTwoSecondsFrom(given[0]!)).toBeGreaterThan(98);
    const gaps = given.slice(1).map((slot, index) => slot - given[index]!);
    expect(gaps[299]!).toBeCloseTo(gaps[0]!, 1);
  });

  test('of a slow pool is as close as the pace, and goes on at the next claim where it has run out', async () => {
    await setPool(house.em(), house.pool('toys'), 10, 4);
    await burst(5);
    await setPools(house.em(), { tatInMs: 200, planInMs: -secondMs });
    await fillPool(house.database, house.pool('toys'));
    const given = await slots();
    const { tatAt } = await poolTimes(house.em());
    expect(given[0]! - tatAt).toBeCloseTo(0, 0);
    for (let index = 1; index < given.length; index += 1)
      expect(given[index]! - given[index - 1]!).toBeCloseTo(1_000 / (4 * 0.95), 0);
  });

  test('of a slow pool begins now where the time of the next claim comes from another clock', async () => {
    await setPool(house.em(), house.pool('toys'), 10, 4);
    await burst(1);
    await setPools(house.em(), { tatInMs: hourMs, planInMs: null });
    await fillPool(house.database, house.pool('toys'));
    const nowMs = await databaseNowMs(house.em());
    expect(Math.abs((await slots())[0]! - nowMs)).toBeLessThan(1_000);
  });

  test('an idle pool saves nothing up', async () => {
    await setPool(house.em(), house.pool('toys'), 100, 100);
    await setPools(house.em(), { planInMs: -hourMs });
    await burst(20);
    const beforeMs = await databaseNowMs(house.em());
    await fillPool(house.database, house.pool('toys'));
    const given = await slots();
    expect(given[0]!).toBeGreaterThan(beforeMs);
    expect(given[19]! - given[0]!).toBeGreaterThan(175);
  });

  test('without a rate every place is now', async () => {
    await setPool(house.em(), house.pool('toys'), 100, null);
    await burst(20);
    await fillPool(house.database, house.pool('toys'));
    expect(new Set(await slots()).size).toBe(1);
  });

  test('a row runs at its place and is looked at 5 s after it', async () => {
    await setPool(house.em(), house.pool('toys'), 10, 10);
    await burst(5);
    const passed = await databaseTimer(house.em());
    const given = await fillPool(house.database, house.pool('toys'));
    const last = (await house.rows())[4]!;
    expect(last.run_in + (await passed())).toBeGreaterThan(300);
    expect(last.check_in - last.run_in).toBeCloseTo(5_000, -1);
    expect(given[4]!.delay_ms + (await passed())).toBeGreaterThan(300);
  });

  test('what fill hands over names whose it is and its pool', async () => {
    await setPool(house.em(), house.pool('toys'), 10, 10);
    await burst(1);
    expect(await fillPool(house.database, house.pool('toys'))).toMatchObject([
      { organization_id: house.organizationId, pool: 'toys' },
    ]);
  });
});

describe('the claim keeps the pace', () => {
  test('the first goes at once, however late it is, and moves the next claim on by the gap', async () => {
    await setPool(house.em(), house.pool('toys'), 10, 10);
    const row = await queuedRow();
    await setJobs(house.em(), { slot_at: inMs(-hourMs), run_at: inMs(-hourMs) });
    const passed = await databaseTimer(house.em());
    expect(await takeTurn(house.em(), row)).toBeUndefined();
    const { tat } = await poolTimes(house.em());
    expect(tat + (await passed())).toBeGreaterThan(100);
    expect(tat).toBeLessThanOrEqual(1_000 / 9.5);
  });

  test('one that comes before the gap has passed is told to come at the end of the plan, and the gap stays as it is', async () => {
    // One in ten seconds: the test is there before the gap has passed.
    await setPool(house.em(), house.pool('toys'), 10, 0.1);
    const row = await queuedRow();
    const passed = await databaseTimer(house.em());
    await setPools(house.em(), { tatInMs: 10 * secondMs, planInMs: 30 * secondMs });
    const waitMs = await takeTurn(house.em(), row);
    expect(waitMs! + (await passed())).toBeGreaterThan(29_990);
    expect(waitMs).toBeLessThanOrEqual(30_000);
    const after = (await house.row(row.id))!;
    expect(after.run_in).toBeLessThanOrEqual(30_000);
    expect(after.run_in + (await passed())).toBeGreaterThan(29_990);
    expect(after.check_in - after.run_in).toBeCloseTo(5_000, -1);
    const { tat, plan } = await poolTimes(house.em());
    expect(tat).toBeLessThanOrEqual(10_000);
    expect(plan + (await passed())).toBeGreaterThan(30_000);
  });

  test('of many that come at once the pace lets one go, and tells each of the others another time', async () => {
    // One in ten seconds: all of them come before the second may go.
    await setPool(house.em(), house.pool('toys'), 100, 0.1);
    await burst(20);
    await fillPool(house.database, house.pool('toys'));
    await setJobs(house.em(), { slot_at: null, run_at: inMs(0) });
    await setPools(house.em(), { planInMs: null });
    const rows = await house.rows();
    const waits = await Promise.all(rows.map((row) => takeTurn(house.em(), row)));
    const waitsMs = waits.filter((wait) => wait !== undefined).sort((a, b) => a - b);
    expect(waitsMs).toHaveLength(19);
    const times = (await slots()).sort((a, b) => a - b);
    expect(times).toHaveLength(19);
    for (let index = 1; index < times.length; index += 1) expect(times[index]! - times[index - 1]!).toBeGreaterThanOrEqual(9_500);
  });

  test('times by another clock, hours ahead, stop nothing', async () => {
    // The next claim is not yet due when the second comes.
    const gapMs = 1_000 / (0.2 * 0.95);
    await setPool(house.em(), house.pool('toys'), 1, 0.2);
    await setPools(house.em(), { tatInMs: hourMs, planInMs: hourMs });
    const row = await queuedRow();
    expect(row.run_in).toBeLessThan((2 * 1_000) / 0.2 + 1);
    await makeJobsDue(house.em());
    expect(await takeTurn(house.em(), row)).toBeUndefined();
    expect((await poolTimes(house.em())).tat).toBeLessThan(gapMs + 1);
    await setPools(house.em(), { planInMs: hourMs });
    expect(await takeTurn(house.em(), row)).toBeLessThan(gapMs + 1);
    expect((await poolTimes(house.em())).plan).toBeLessThan(2 * gapMs);
  });

  test('nothing is told to a run of a pool without a rate, of a held one, or one that is no longer the row’s', async () => {
    await setPool(house.em(), house.pool('toys'), 10, null);
    const row = await queuedRow();
    expect(await takeTurn(house.em(), row)).toBeUndefined();
    expect((await poolTimes(house.em())).tat).toBeNull();
    await setPool(house.em(), house.pool('toys'), 10, 10);
    await takeTurn(house.em(), { ...row, run: 2 });
    await holdPool(house.em(), house.pool('toys'), null);
    await takeTurn(house.em(), row);
    expect((await poolTimes(house.em())).tat).toBeNull();
  });
});

describe('a run without room', () => {
  test('takes what is free', async () => {
    await setPool(house.em(), house.pool('toys'), 2, null);
    const row = await queuedRow();
    await setJobs(house.em(), { slot_at: null });
    expect(await takeRoom(house.database, 'toys', row)).toBe(true);
    expect((await house.row(row.id))?.slot_at).not.toBeNull();
  });

  test('finds none when the width is taken by others', async () => {
    await setPool(house.em(), house.pool('toys'), 2, null);
    const row = await queuedRow();
    await setJobs(house.em(), { slot_at: null });
    await burst(2);
    await fillPool(house.database, house.pool('toys'));
    expect(await takeRoom(house.database, 'toys', row)).toBe(false);
    expect((await house.row(row.id))?.slot_at).toBeNull();
  });

  test('its own room does not count against it, and one that is no longer the row’s takes none', async () => {
    await setPool(house.em(), house.pool('toys'), 1, null);
    const row = await queuedRow();
    expect(await takeRoom(house.database, 'toys', row)).toBe(true);
    expect(await takeRoom(house.database, 'toys', { ...row, run: 2 })).toBe(false);
  });
});

describe('a call of a run', () => {
  test.each([10, null])('with a pool that is held waits for its end and takes no turn, with a rate of %s', async (rate) => {
    const pool = house.pool('toys');
    await setPool(house.em(), pool, 4, rate);
    expect(await takeCall(house.database, pool)).toEqual({});
    const before = await storedPool(house.em());
    await holdPool(house.em(), pool, 5 * secondMs);
    const { heldMs, waitMs } = await takeCall(house.database, pool);
    expect(Math.round(heldMs! / secondMs)).toBe(5);
    expect(waitMs).toBeUndefined();
    expect((await storedPool(house.em())).tat).toBe(before.tat);
    expect((await takeCall(house.database, pool, false)).heldMs).toBeUndefined();
    await holdPool(house.em(), pool, null);
    expect(await takeCall(house.database, pool)).toEqual({ heldMs: 60_000 });
    await letPoolGo(house.em(), pool);
    expect((await takeCall(house.database, pool)).heldMs).toBeUndefined();
  });
});
