import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { holdPool, setPool } from '../../../../src/platform/ledger/pools.ts';
import { stuckPools } from '../../../../src/platform/ledger/stuck-pools.ts';
import { poolsWithRoom } from '../../../../src/platform/ledger/sweep.ts';
import { type House, openHouse } from '../../../support/house.ts';

type Plan = { 'Node Type': string; 'Relation Name'?: string; 'Actual Rows': number; 'Actual Loops': number; Plans?: Plan[] };

const pools = 3_000;
let house: House;
beforeAll(async () => {
  house = await openHouse();
  await house.sql(
    `insert into pools (organization_id, id, width) select uuidv7(), 'idle:' || n, 10 from generate_series(1, $1::int) n`,
    [pools],
  );
  await setPool(house.em(), house.pool('toys'), 10, null);
  await setPool(house.em(), house.pool('held'), 10, null);
  // Not accepted: nothing of this process shall fill the pools.
  for (const pool of ['toys', 'held'])
    await house.sql(
      `insert into jobs (id, organization_id, name, queue, payload, subject_type, subject_id, pool, state, run_at, created_at, check_at)
       select uuidv7(), $1, 'toys.play', 'default', '{}', 'toy', uuidv7(), $2, 'waiting', clock_timestamp() - interval '2 min',
              clock_timestamp() - interval '2 min', clock_timestamp()
         from generate_series(1, 3)`,
      [house.organizationId, pool],
    );
  await holdPool(house.em(), house.pool('held'), null);
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
  expect(await house.sql(poolsWithRoom)).toEqual([house.pool('toys')]);
  expect(await house.sql(stuckPools)).toEqual([{ id: 'toys', detail: '3 rows wait or are queued' }]);
});
