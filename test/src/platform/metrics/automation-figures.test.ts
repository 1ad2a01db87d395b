import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ruleLock } from '../../../../src/automation/jobs.ts';
import { AutomationHeld } from '../../../../src/automation/rule.entity.ts';
import { getRule } from '../../../../src/automation/rules/rule-row.ts';
import { changeRule } from '../../../../src/automation/rules/rule-tx.ts';
import { AutomationRun } from '../../../../src/automation/run.entity.ts';
import { pauseSchedule } from '../../../../src/automation/schedule/pause-schedule.ts';
import { transactFor } from '../../../../src/platform/ledger/tenant.ts';
import type { OwnTx } from '../../../../src/platform/ledger/tx.ts';
import { createMetrics } from '../../../../src/platform/metrics/metrics.ts';
import { automationRun, rule } from '../../../support/factories/automation.ts';
import { type House, openHouse } from '../../../support/house.ts';
import { readExposition } from '../../../support/prometheus.ts';
import { setRule, setRun } from '../../../support/rules/automation.ts';
import { inMs, minuteMs } from '../../../support/rules/clock.ts';
import { storeRows } from '../../../support/rules/rows.ts';

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

const locked = (id: string, work: (own: OwnTx) => Promise<unknown>) =>
  transactFor(house.ledger.transact, house.organizationId)({ locks: [ruleLock(id)] }, ({ own }) => work(own));

test('live runs by what they do; rules by status, those that paused themselves; what is held back', async () => {
  const [live, paused, old] = [await ruleOf('live'), await ruleOf('live'), await ruleOf('live')];
  await ruleOf('paused');
  for (const id of [paused, old]) await locked(id, (own) => pauseSchedule(own, id, 'schedule_failed'));
  await setRule(house.em(), old, { paused_at: inMs(-61 * minuteMs) });
  // An edit is no pause.
  await locked(old, async (own) => changeRule(own, await getRule(own, old), { name: 'Renamed' }));
  for (const state of ['queued', 'running', 'running', 'succeeded'] as const)
    await automationRun(house.em(), house.organizationId, { ruleId: live, state });
  const waiting = await house.em().find(AutomationRun, { state: 'running' }, { limit: 1 });
  await setRun(house.em(), waiting[0]!.id, { waiting_for: 'wait' });
  await storeRows(house.em(), house.organizationId, AutomationHeld, [
    { rule_id: live, reason: 'loop', count: 3 },
    { rule_id: paused, reason: 'loop', count: 4 },
  ]);
  const metrics = await page();
  const runs = ['queued', 'running', 'waiting'].map((state) => metrics.value('kanal_automation_runs', { state }));
  expect(runs).toEqual([1, 1, 1]);
  const rules = ['draft', 'live', 'paused'].map((status) => metrics.value('kanal_automation_rules', { status }));
  expect(rules).toEqual([0, 1, 3]);
  expect(metrics.value('kanal_automation_rules_paused_by_themselves')).toBe(1);
  expect(metrics.value('kanal_automation_held_starts', { reason: 'loop' })).toBe(7);
  expect(metrics.value('kanal_automation_held_starts', { reason: 'too_often' })).toBe(0);
});
