import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { holdPool, letPoolGo, setPool } from '../../../../src/platform/ledger/pools.ts';
import { stuckPools } from '../../../../src/platform/ledger/stuck-pools.ts';
import { poolsWithRoom } from '../../../../src/platform/ledger/sweep.ts';
import { type House, openHouse } from '../../../support/house.ts';

type Plan = { 'Node Type': string; 'Relation Name'?: string; 'Actual Rows': number; 'Actual Loops': number; Plans?: Plan[] };

const pools = 3_000;
let house: House;
beforeAll(async () => {
  house = await openHouse();
  await house.sql(`insert into pools (id, width) select 'idle:' || n, 10 from generate_series(1, $1::int) n`, [pools]);
  await setPool(house.em(), 'toys', 10, null);
  await setPool(house.em(), 'held', 10, null);
  for (const pool of ['toys', 'held']) {
    await holdPool(house.em(), pool, null);
    for (let count = 0; count < 3; count += 1) await house.accept({ pool });
    await house.ledger.fill(pool);
  }
  await letPoolGo(house.em(), 'toys');
  await house.sql(
    `update jobs set run_at = clock_timestamp() - interval '2 min', created_at = clock_timestamp() - interval '2 min'`,
  );
  await house.sql('analyze pools');
});
afterAll(() => house.close());

const nodes = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodes)];
async function planOf(statement: string): Promise<Plan[]> {
  const [row] = await house.sql<{ 'QUERY PLAN': { Plan: Plan }[] }>(`explain (analyze, format json) ${statement}`);
  return nodes(row!['QUERY PLAN'][0]!.Plan);
}

test.each([
  ['the sweep', poolsWithRoom],
  ['the check', stuckPools],
])('%s looks at no pool that has no work', async (_what, statement) => {
  const plan = await planOf(statement);
  const ofPools = plan.filter((node) => node['Relation Name'] === 'pools');
  expect(ofPools.map((node) => node['Node Type'])).not.toContain('Seq Scan');
  for (const node of plan) expect(node['Actual Loops']).toBeLessThan(20);
});

test('both find the pool that has work and room, and not the one on hold', async () => {
  expect(await house.sql(poolsWithRoom)).toEqual([{ pool: 'toys' }]);
  expect(await house.sql(stuckPools)).toEqual([{ id: 'toys', detail: '3 rows wait or are queued' }]);
});
