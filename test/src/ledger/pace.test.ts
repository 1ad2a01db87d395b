import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { fillPool, reserveSlot, setPool } from '../../../src/ledger/pools.ts';
import { type House, openHouse } from '../../support/house.ts';
import { playJob } from '../../support/toys.ts';

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

describe('pace', () => {
  test('slots are given at 95 % of the rate, one after the other', async () => {
    await setPool(house.em(), 'toys', 100, 100);
    await burst(50);
    await fillPool(house.database, 'toys');
    const given = await slots();
    expect(given).toHaveLength(50);
    expect(given[49]! - given[0]!).toBeCloseTo((49 * 1_000) / 95, -1);
    for (let index = 1; index < given.length; index += 1) expect(given[index]! - given[index - 1]!).toBeGreaterThanOrEqual(10);
  });

  test('a second fill goes on where the first ended: no second holds more than the rate', async () => {
    await setPool(house.em(), 'toys', 200, 100);
    await burst(60);
    await fillPool(house.database, 'toys');
    await burst(120);
    await fillPool(house.database, 'toys');
    const given = (await slots()).sort((a, b) => a - b);
    expect(given).toHaveLength(180);
    const inSecondFrom = (start: number) => given.filter((slot) => slot >= start && slot < start + 1_000).length;
    expect(Math.max(...given.map(inSecondFrom))).toBeLessThanOrEqual(96);
    expect(inSecondFrom(given[0]!)).toBeGreaterThan(90);
  });

  test('an idle pool saves nothing up', async () => {
    await setPool(house.em(), 'toys', 100, 100);
    await house.sql(`update pools set tat = clock_timestamp() - interval '1 h'`);
    await burst(20);
    await fillPool(house.database, 'toys');
    const given = await slots();
    expect(given[0]!).toBeGreaterThan(Date.now() - 1_000);
    expect(given[19]! - given[0]!).toBeGreaterThan(190);
  });

  test('without a rate every slot is now', async () => {
    await setPool(house.em(), 'toys', 100, null);
    await burst(20);
    await fillPool(house.database, 'toys');
    expect(new Set(await slots()).size).toBe(1);
  });

  test('a row runs at its slot and is looked at 5 s after it', async () => {
    await setPool(house.em(), 'toys', 10, 10);
    await burst(5);
    const given = await fillPool(house.database, 'toys');
    const last = (await house.rows())[4]!;
    expect(last.run_in).toBeGreaterThan(300);
    expect(last.check_in - last.run_in).toBeCloseTo(5_000, -1);
    expect(given[4]!.delay_ms).toBeGreaterThan(300);
  });
});

describe('a run without a slot or late for it', () => {
  const queued = async () => {
    await burst(1);
    await fillPool(house.database, 'toys');
    return (await house.rows())[0]!;
  };

  test('reserves the next one free', async () => {
    await setPool(house.em(), 'toys', 10, 10);
    const row = await queued();
    await house.sql('update jobs set slot_at = null');
    await house.sql(`update pools set tat = clock_timestamp() + interval '200 ms'`);
    const delayMs = await reserveSlot(house.database, 'toys', row);
    expect(delayMs).toBeGreaterThan(150);
    expect(delayMs).toBeLessThanOrEqual(200);
    const [after] = await house.rows();
    expect(after!.slot_at).not.toBeNull();
    expect(after!.run_in).toBeLessThanOrEqual(200);
    const [pool] = await house.sql<{ ahead: number }>(
      'select (extract(epoch from tat - clock_timestamp()) * 1000)::float8 as ahead from pools',
    );
    expect(pool!.ahead).toBeGreaterThan(250);
  });

  test('finds no room when the width is taken by others', async () => {
    await setPool(house.em(), 'toys', 2, null);
    const row = await queued();
    await house.sql('update jobs set slot_at = null');
    await burst(2);
    await fillPool(house.database, 'toys');
    expect(await reserveSlot(house.database, 'toys', row)).toBeUndefined();
    expect((await house.row(row.id))?.slot_at).toBeNull();
  });

  test('its own old slot does not count against it', async () => {
    await setPool(house.em(), 'toys', 1, null);
    expect(await reserveSlot(house.database, 'toys', await queued())).toBe(0);
  });

  test('a run that is no longer the row’s reserves nothing', async () => {
    await setPool(house.em(), 'toys', 10, 10);
    const row = await queued();
    const [before] = await house.sql('select tat from pools');
    expect(await reserveSlot(house.database, 'toys', { ...row, run: 2 })).toBeUndefined();
    expect(await house.sql('select tat from pools')).toEqual([before]);
  });
});
