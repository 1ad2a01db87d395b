import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { takeTurn } from '../../../../src/platform/ledger/pace.ts';
import { fillPool, setPool } from '../../../../src/platform/ledger/pools.ts';
import type { RunRef } from '../../../../src/platform/ledger/tx.ts';
import { watchClaims } from '../../../support/claims.ts';
import { type House, openHouse } from '../../../support/house.ts';
import { playJob } from '../../../support/toys.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

const burst = (size: number) =>
  house.sql(
    `insert into jobs (id, organization_id, name, queue, payload, subject_type, subject_id, pool, state, check_at)
     select uuidv7(), $2, $3, 'default', '{}', 'toy', uuidv7(), 'toys', 'waiting', clock_timestamp() from generate_series(1, $1)`,
    [size, house.organizationId, playJob.name],
  );

test('after a freeze no second holds more than the rate, by the clock of the claims', async () => {
  await setPool(house.em(), house.pool('toys'), 100, 50);
  await burst(80);
  await fillPool(house.database, house.pool('toys'));
  await house.sql(`update jobs set run_at = clock_timestamp() - interval '3 s', slot_at = clock_timestamp() - interval '3 s'`);
  const claimsOf = await watchClaims(house.em());
  const waitsMs: number[] = [];
  const claim = async (row: RunRef) => {
    for (;;) {
      const waitMs = await takeTurn(house.em(), row);
      if (waitMs === undefined) return;
      waitsMs.push(waitMs);
      await sleep(waitMs);
    }
  };
  await Promise.all((await house.rows()).map(claim));
  const claimed = await claimsOf('toys');
  expect(claimed).toHaveLength(80);
  const maxOfASecond = Math.max(...claimed.map((start) => claimed.filter((at) => at >= start && at < start + 1_000).length));
  expect(maxOfASecond).toBeLessThanOrEqual(50);
  expect(Math.max(...waitsMs)).toBeLessThan((80 / 47.5) * 1_000 * 3);
});
