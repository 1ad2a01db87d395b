import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { uuidv7 } from '../../../../src/platform/ids.ts';
import { holdPool, setPool } from '../../../../src/platform/ledger/pools.ts';
import { stuckPools } from '../../../../src/platform/ledger/stuck-pools.ts';
import { poolsWithRoom } from '../../../../src/platform/ledger/sweep.ts';
import { type House, openHouse } from '../../../support/house.ts';
import { minuteMs } from '../../../support/rules/clock.ts';
import { storeWaiting } from '../../../support/rules/ledger-jobs.ts';
import { storePools } from '../../../support/rules/pools.ts';

type Plan = { 'Node Type': string; 'Relation Name'?: string; 'Actual Rows': number; 'Actual Loops': number; Plans?: Plan[] };

const pools = 3_000;
let house: House;
beforeAll(async () => {
  house = await openHouse();
  await storePools(house.em(), uuidv7(), { count: pools, prefix: 'idle:', width: 10 });
  await setPool(house.em(), house.pool('toys'), 10, null);
  await setPool(house.em(), house.pool('held'), 10, null);
  // Not accepted: nothing of this process shall fill the pools.
  for (const pool of ['toys', 'held'])
    await storeWaiting(house.em(), house.organizationId, { count: 3, pool, runInMs: -2 * minuteMs, createdInMs: -2 * minuteMs });
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
