import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { takeTurn } from '../../../../src/platform/ledger/pace.ts';
import { fillPool, setPool, takeRoom } from '../../../../src/platform/ledger/pools.ts';
import { type House, openHouse } from '../../../support/house.ts';
import { playJob } from '../../../support/toys.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());
beforeEach(() => house.reset());

const burst = (size: number) =>
  house.sql(
    `insert into jobs (id, organization_id, name, queue, payload, subject_type, subject_id, pool, state, check_at)
     select uuidv7(), $2, $3, 'default', '{}', 'toy', uuidv7(), 'toys', 'waiting', clock_timestamp() from generate_series(1, $1)`,
    [size, house.organizationId, playJob.name],
  );
const slots = async () => (await house.rows()).flatMap((row) => row.slot_at ?? []);

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const queuedRow = async () => {
  await burst(1);
  await fillPool(house.database, 'toys');
  return (await house.rows()).at(-1)!;
};
/** Milliseconds from now. */
const poolTimes = async () =>
  (
    await house.sql<{ tat: number; plan: number }>(
      `select (extract(epoch from tat - clock_timestamp()) * 1000)::float8 as tat, (extract(epoch from plan_at - clock_timestamp()) * 1000)::float8 as plan from pools`,
    )
  )[0]!;

describe('the plan', () => {
  test('is a tenth closer than the pace, one after the other', async () => {
    await setPool(house.em(), 'toys', 100, 100);
    await burst(50);
    await fillPool(house.database, 'toys');
    const given = await slots();
    expect(given).toHaveLength(50);
    expect(given[49]! - given[0]!).toBeCloseTo((49 * 1_000) / 104.5, -1);
    for (let index = 1; index < given.length; index += 1) expect(given[index]! - given[index - 1]!).toBeGreaterThanOrEqual(9);
  });

  test('a second fill goes on where the first ended', async () => {
    await setPool(house.em(), 'toys', 200, 100);
    await burst(60);
    await fillPool(house.database, 'toys');
    await burst(120);
    await fillPool(house.database, 'toys');
    const given = (await slots()).sort((a, b) => a - b);
    expect(given).toHaveLength(180);
    const inSecondFrom = (start: number) => given.filter((slot) => slot >= start && slot < start + 1_000).length;
    expect(Math.max(...given.map(inSecondFrom))).toBeLessThanOrEqual(106);
    expect(inSecondFrom(given[0]!)).toBeGreaterThan(98);
  });

  test('an idle pool saves nothing up', async () => {
    await setPool(house.em(), 'toys', 100, 100);
    await house.sql(`update pools set plan_at = clock_timestamp() - interval '1 h'`);
    await burst(20);
    await fillPool(house.database, 'toys');
    const given = await slots();
    expect(given[0]!).toBeGreaterThan(Date.now() - 1_000);
    expect(given[19]! - given[0]!).toBeGreaterThan(175);
  });

  test('without a rate every place is now', async () => {
    await setPool(house.em(), 'toys', 100, null);
    await burst(20);
    await fillPool(house.database, 'toys');
    expect(new Set(await slots()).size).toBe(1);
  });

  test('a row runs at its place and is looked at 5 s after it', async () => {
    await setPool(house.em(), 'toys', 10, 10);
    await burst(5);
    const given = await fillPool(house.database, 'toys');
    const last = (await house.rows())[4]!;
    expect(last.run_in).toBeGreaterThan(300);
    expect(last.check_in - last.run_in).toBeCloseTo(5_000, -1);
    expect(given[4]!.delay_ms).toBeGreaterThan(300);
  });

  test('what fill hands over names whose it is and its pool', async () => {
    await setPool(house.em(), 'toys', 10, 10);
    await burst(1);
    expect(await fillPool(house.database, 'toys')).toMatchObject([{ organization_id: house.organizationId, pool: 'toys' }]);
  });
});

describe('the claim keeps the pace', () => {
  test('the first goes at once, however late it is, and moves the next claim on by the gap', async () => {
    await setPool(house.em(), 'toys', 10, 10);
    const row = await queuedRow();
    await house.sql(`update jobs set slot_at = clock_timestamp() - interval '1 h', run_at = clock_timestamp() - interval '1 h'`);
    expect(await takeTurn(house.em(), row)).toBeUndefined();
    const { tat } = await poolTimes();
    expect(tat).toBeGreaterThan(60);
    expect(tat).toBeLessThanOrEqual(1_000 / 9.5);
  });

  test('one that comes before the gap has passed is told to come at the end of the plan, and the gap stays as it is', async () => {
    await setPool(house.em(), 'toys', 10, 10);
    const row = await queuedRow();
    await house.sql(
      `update pools set tat = clock_timestamp() + interval '100 ms', plan_at = clock_timestamp() + interval '300 ms'`,
    );
    const waitMs = await takeTurn(house.em(), row);
    expect(waitMs).toBeGreaterThan(200);
    expect(waitMs).toBeLessThanOrEqual(300);
    const after = (await house.row(row.id))!;
    expect(after.run_in).toBeLessThanOrEqual(300);
    expect(after.run_in).toBeGreaterThan(150);
    expect(after.check_in - after.run_in).toBeCloseTo(5_000, -1);
    const { tat, plan } = await poolTimes();
    expect(tat).toBeLessThanOrEqual(100);
    expect(plan).toBeGreaterThan(300);
  });

  test('of many that come at once the pace lets one go, and tells each of the others another time', async () => {
    await setPool(house.em(), 'toys', 100, 1);
    await burst(20);
    await fillPool(house.database, 'toys');
    await house.sql('update jobs set slot_at = null, run_at = clock_timestamp()');
    await house.sql('update pools set plan_at = null');
    const rows = await house.rows();
    const waits = await Promise.all(rows.map((row) => takeTurn(house.em(), row)));
    const told = waits.filter((wait) => wait !== undefined).sort((a, b) => a - b);
    expect(told).toHaveLength(19);
    const times = (await slots()).sort((a, b) => a - b);
    expect(times).toHaveLength(19);
    for (let index = 1; index < times.length; index += 1) expect(times[index]! - times[index - 1]!).toBeGreaterThanOrEqual(950);
  });

  test('after a freeze no second holds more than the rate, by the clock of the claims', async () => {
    await setPool(house.em(), 'toys', 100, 50);
    await burst(80);
    await fillPool(house.database, 'toys');
    await house.sql(`update jobs set run_at = clock_timestamp() - interval '3 s', slot_at = clock_timestamp() - interval '3 s'`);
    const claimed: number[] = [];
    const claim = async (row: { id: string; run: number }) => {
      for (;;) {
        const waitMs = await takeTurn(house.em(), row);
        if (waitMs === undefined) return void claimed.push(performance.now());
        await sleep(waitMs);
      }
    };
    await Promise.all((await house.rows()).map(claim));
    expect(claimed).toHaveLength(80);
    claimed.sort((a, b) => a - b);
    // The answers come back unevenly; the database's own clock is what is held to, within a few of them.
    const most = Math.max(...claimed.map((start) => claimed.filter((at) => at >= start && at < start + 1_000).length));
    expect(most).toBeLessThanOrEqual(55);
    expect(claimed.at(-1)! - claimed[0]!).toBeLessThan((80 / 47.5) * 1_000 * 3);
  });

  test('times by another clock, hours ahead, stop nothing', async () => {
    await setPool(house.em(), 'toys', 10, 10);
    await house.sql(`update pools set tat = clock_timestamp() + interval '1 h', plan_at = clock_timestamp() + interval '1 h'`);
    const row = await queuedRow();
    expect(row.run_in).toBeLessThan(3_000);
    await house.sql('update jobs set run_at = clock_timestamp()');
    expect(await takeTurn(house.em(), row)).toBeUndefined();
    expect((await poolTimes()).tat).toBeLessThan(1_000);
    await house.sql(`update pools set plan_at = clock_timestamp() + interval '1 h'`);
    expect(await takeTurn(house.em(), row)).toBeLessThan(1_000);
    expect((await poolTimes()).plan).toBeLessThan(1_000);
  });

  test('nothing is told to a run of a pool without a rate, of a held one, or one that is no longer the row’s', async () => {
    await setPool(house.em(), 'toys', 10, null);
    const row = await queuedRow();
    expect(await takeTurn(house.em(), row)).toBeUndefined();
    expect((await poolTimes()).tat).toBeNull();
    await setPool(house.em(), 'toys', 10, 10);
    await takeTurn(house.em(), { ...row, run: 2 });
    await house.sql(`update pools set held_until = 'infinity'`);
    await takeTurn(house.em(), row);
    expect((await poolTimes()).tat).toBeNull();
  });
});

describe('a run without room', () => {
  test('takes what is free', async () => {
    await setPool(house.em(), 'toys', 2, null);
    const row = await queuedRow();
    await house.sql('update jobs set slot_at = null');
    expect(await takeRoom(house.database, 'toys', row)).toBe(true);
    expect((await house.row(row.id))?.slot_at).not.toBeNull();
  });

  test('finds none when the width is taken by others', async () => {
    await setPool(house.em(), 'toys', 2, null);
    const row = await queuedRow();
    await house.sql('update jobs set slot_at = null');
    await burst(2);
    await fillPool(house.database, 'toys');
    expect(await takeRoom(house.database, 'toys', row)).toBe(false);
    expect((await house.row(row.id))?.slot_at).toBeNull();
  });

  test('its own room does not count against it, and one that is no longer the row’s takes none', async () => {
    await setPool(house.em(), 'toys', 1, null);
    const row = await queuedRow();
    expect(await takeRoom(house.database, 'toys', row)).toBe(true);
    expect(await takeRoom(house.database, 'toys', { ...row, run: 2 })).toBe(false);
  });
});
