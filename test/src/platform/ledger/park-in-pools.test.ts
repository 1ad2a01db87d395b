import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { poolWidth } from '../../../../src/automation/limits.ts';
import { createOrganization } from '../../../../src/organizations/organizations.ts';
import { Job } from '../../../../src/platform/ledger/jobs.entity.ts';
import { fillPool, poolOf, setPool } from '../../../../src/platform/ledger/pools.ts';
import { sweep } from '../../../../src/platform/ledger/sweep.ts';
import { type House, openHouse } from '../../../support/house.ts';
import { secondMs } from '../../../support/rules/clock.ts';
import { deleteJobs, storeParked } from '../../../support/rules/ledger-jobs.ts';

const rules = 'automation:rules';
let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());
beforeEach(async () => {
  await house.reset();
  await setPool(house.em(), house.pool(rules), poolWidth, null);
});

/** Rows that are due `dueIn` seconds from now, and parked. */
const park = (
  count: number,
  { queue = 'automations', pool = rules as string | null, dueIn = -60, organizationId = house.organizationId } = {},
) => storeParked(house.em(), organizationId, { count, queue, pool, run: 2, runInMs: dueIn * secondMs });
const sweepOnce = () => sweep({ ...house.deps, queues: house.queues, config: { laterTriesPerSecond: 5 } });
const sweepAll = async () => {
  const all = await sweepOnce();
  for (let last = all; last.parked > 0; all.parked += last.parked) last = await sweepOnce();
  return all;
};
/** How many rows there are: `state class`, with a `*` where they hold a place of their pool. */
const counted = async (organizationId = house.organizationId) => {
  const counts: Record<string, number> = {};
  for (const job of await house.em().find(Job, { organization_id: organizationId })) {
    const what = `${job.state} ${job.class}${job.slot_at === null ? '' : '*'}`;
    counts[what] = (counts[what] ?? 0) + 1;
  }
  return counts;
};

test('what was due without a place in its line waits in its pool, in bulk, and takes three quarters of it', async () => {
  await park(400);
  expect(await sweepAll()).toMatchObject({ parked: 400 });
  expect(await counted()).toEqual({ 'queued 1*': 15, 'waiting 1': 385 });
  // The queue does not know the run with this number yet.
  expect(new Set((await house.rows()).map(({ run }) => run))).toEqual(new Set([2]));
});

test('new work of the pool goes before it', async () => {
  await park(100);
  await sweepAll();
  for (let number = 0; number < 7; number += 1) await house.accept({ pool: rules });
  await fillPool(house.database, house.pool(rules));
  expect(await counted()).toEqual({ 'queued 0*': 5, 'queued 1*': 15, 'waiting 0': 2, 'waiting 1': 85 });
  const three = await house.em().find(Job, { state: 'queued', class: 1 }, { limit: 3 });
  await deleteJobs(house.em(), { id: { $in: three.map(({ id }) => id) } });
  await fillPool(house.database, house.pool(rules));
  expect(await counted()).toEqual({ 'queued 0*': 7, 'queued 1*': 13, 'waiting 1': 84 });
});

test('what is due soon still gets its time in its line', async () => {
  await park(3, { dueIn: 10 });
  await sweepAll();
  expect(await counted()).toEqual({ 'queued 0': 3 });
});

test('a job without a pool, as a moment of a schedule is, keeps its line, and so does every other queue', async () => {
  await park(2, { pool: null });
  await park(4, { queue: 'webhook-retries', pool: 'endpoint:a' });
  await sweepAll();
  expect(await counted()).toEqual({ 'queued 0': 6 });
});

test('each organization waits in its own', async () => {
  const other = await createOrganization(house.em(), 'Other');
  await setPool(house.em(), poolOf(other, rules), poolWidth, null);
  await park(400);
  await park(3, { organizationId: other });
  await sweepAll();
  expect([await counted(), await counted(other)]).toEqual([{ 'queued 1*': 15, 'waiting 1': 385 }, { 'queued 1*': 3 }]);
});

test('sweeps side by side let each in once', async () => {
  await park(450);
  const swept = await Promise.all([sweepAll(), sweepAll(), sweepAll()]);
  expect(swept.reduce((sum, { parked }) => sum + parked, 0)).toBe(450);
  expect(await counted()).toEqual({ 'queued 1*': 15, 'waiting 1': 435 });
});
