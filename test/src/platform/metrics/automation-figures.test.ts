import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createMetrics } from '../../../../src/platform/metrics/metrics.ts';
import { automationRun, rule } from '../../../support/factories/automation.ts';
import { type House, openHouse } from '../../../support/house.ts';
import { readExposition } from '../../../support/prometheus.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

async function page() {
  const queues = { ...house.queues, backend: { name: 'redis' } as never };
  const metrics = createMetrics({ process: 'worker', database: house.database, queues, isServed: false });
  return readExposition(await metrics.scrape());
}
const ruleOf = async (status: 'draft' | 'live' | 'paused') => (await rule(house.em(), house.organizationId, { status })).id;

test('live runs by what they do; rules by status, those that paused themselves; what is held back', async () => {
  const [live, paused, old] = [await ruleOf('live'), await ruleOf('paused'), await ruleOf('paused')];
  await ruleOf('paused');
  await house.sql(`update automation_rules set paused_reason = 'only_fails' where id = any($1)`, [[paused, old]]);
  await house.sql(`update automation_rules set updated_at = clock_timestamp() - interval '61 min' where id = $1`, [old]);
  for (const state of ['queued', 'running', 'running', 'succeeded'] as const)
    await automationRun(house.em(), house.organizationId, { ruleId: live, state });
  await house.sql(
    `update automation_runs set waiting_for = 'wait' where id = (select id from automation_runs where state = 'running' limit 1)`,
  );
  await house.sql(
    `insert into automation_held (organization_id, rule_id, reason, count) values ($1, $2, 'loop', 3), ($1, $3, 'loop', 4)`,
    [house.organizationId, live, paused],
  );
  const metrics = await page();
  const runs = ['queued', 'running', 'waiting'].map((state) => metrics.value('kanal_automation_runs', { state }));
  expect(runs).toEqual([1, 1, 1]);
  const rules = ['draft', 'live', 'paused'].map((status) => metrics.value('kanal_automation_rules', { status }));
  expect(rules).toEqual([0, 1, 3]);
  expect(metrics.value('kanal_automation_rules_paused_by_themselves')).toBe(1);
  expect(metrics.value('kanal_automation_held_starts', { reason: 'loop' })).toBe(7);
  expect(metrics.value('kanal_automation_held_starts', { reason: 'too_often' })).toBe(0);
});
