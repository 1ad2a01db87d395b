import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { AutomationRule, AutomationRuleVersion } from '../../../../src/automation/rule.entity.ts';
import { AutomationCount, AutomationRun, AutomationStep } from '../../../../src/automation/run.entity.ts';
import { runJobOfRule } from '../../../../src/automation/runs/run-job.ts';
import { type RunStats, statsOf } from '../../../../src/automation/runs/stats.ts';
import type { RunState } from '../../../../src/automation/states.ts';
import { ownRows } from '../../../../src/platform/database/own.ts';
import { Pool } from '../../../../src/platform/ledger/jobs.entity.ts';
import { setPool, usePool } from '../../../../src/platform/ledger/pools.ts';
import { purges } from '../../../../src/platform/retention/purges.ts';
import { runPurge } from '../../../../src/platform/retention/run.ts';
import { automationRun, rule, stepOf } from '../../../support/factories/automation.ts';
import { type House, openHouse } from '../../../support/house.ts';
import { dayMs, inMs } from '../../../support/rules/clock.ts';
import { deleteJobsOf, storeJobs } from '../../../support/rules/ledger-jobs.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

const ruleOf = async () => (await rule(house.em(), house.organizationId)).id;

async function run(ruleId: string, state: RunState, daysAgo: number): Promise<string> {
  const endedAt = new Date(Date.now() - daysAgo * 24 * 3600 * 1000).toISOString();
  const isLive = state === 'running' || state === 'queued';
  const given = { ruleId, state, createdAt: endedAt, ...(!isLive && { endedAt }) };
  const { id } = await automationRun(house.em(), house.organizationId, given);
  await stepOf(house.em(), house.organizationId, id);
  return id;
}
const purge = (config = {}) =>
  runPurge(purges.find(({ table }) => table === 'automation_runs')!, {
    config: { ...house.deps.config, ...config },
    database: house.database,
    isStopping: () => false,
    batch: 2,
    pauseMs: 0,
  });
const stats = (ruleId?: string): Promise<RunStats> => statsOf(ownRows(house.database, house.organizationId), ruleId);
const runIds = async () => (await house.em().find(AutomationRun, {}, { orderBy: { id: 'asc' } })).map(({ id }) => id);
const runsWithSteps = async () => {
  const steps = await house.em().find(AutomationStep, {}, { orderBy: { run_id: 'asc' } });
  return [...new Set(steps.map(({ run_id }) => run_id))];
};

test('ended runs go after 30 days, in batches, with their steps; statistics stay, to the number', async () => {
  const [one, other] = [await ruleOf(), await ruleOf()];
  for (const state of ['succeeded', 'succeeded', 'failed', 'cancelled', 'succeeded'] as const) await run(one, state, 31);
  await run(other, 'failed', 40);
  const left = [
    await run(one, 'failed', 29),
    await run(one, 'running', 300),
    await run(other, 'queued', 300),
    await run(other, 'failed', 29),
  ].sort();
  const before = [await stats(), await stats(one), await stats(other)];
  expect(before[1]).toEqual({ queued: 0, running: 1, succeeded: 3, failed: 2, cancelled: 1, total: 7 });
  expect((await purge()).deleted).toEqual({ automation_runs: 6, automation_rules: 0 });
  expect(await runIds()).toEqual(left);
  expect(await runsWithSteps()).toEqual(left);
  expect([await stats(), await stats(one), await stats(other)]).toEqual(before);
  expect((await purge()).deleted).toEqual({ automation_runs: 0, automation_rules: 0 });
  expect((await purge({ retentionAutomationRunsDays: 20 })).deleted).toEqual({ automation_runs: 2, automation_rules: 0 });
  expect([await stats(), await stats(one), await stats(other)]).toEqual(before);
});

test('a failed run stays as long as its job, which can be retried', async () => {
  const id = await run(await ruleOf(), 'failed', 90);
  const { name, subjectType } = runJobOfRule;
  await storeJobs(house.em(), house.organizationId, { name, subjectType, subjectIds: [id], state: 'failed', finishedInMs: 0 });
  await purge();
  expect(await runIds()).toContain(id);
  await deleteJobsOf(house.em(), id);
  await purge();
  expect(await runIds()).not.toContain(id);
});

test('a deleted rule goes with its versions once none of its runs is left; the organization has counted them', async () => {
  const [deleted, live] = [await ruleOf(), await ruleOf()];
  const before = await stats();
  await run(deleted, 'succeeded', 31);
  const young = await run(deleted, 'cancelled', 1);
  await house.em().nativeUpdate(AutomationRule, { id: deleted }, { deleted_at: inMs(0) });
  expect((await purge()).deleted).toEqual({ automation_runs: 1, automation_rules: 0 });
  await house.em().nativeUpdate(AutomationRun, { id: young }, { ended_at: inMs(-31 * dayMs) });
  expect((await purge()).deleted).toEqual({ automation_runs: 1, automation_rules: 1 });
  expect(await house.em().count(AutomationRuleVersion, { rule_id: deleted })).toBe(0);
  expect(await house.em().count(AutomationCount, { rule_id: deleted })).toBe(0);
  expect(await house.em().count(AutomationRule, { id: live })).toBe(1);
  expect(await stats()).toEqual({
    ...before,
    succeeded: before.succeeded + 1,
    cancelled: before.cancelled + 1,
    total: before.total + 2,
  });
});

test('the pool of a host goes when nothing was in it for long, and is made anew', async () => {
  const { organizationId } = house;
  const own = ownRows(house.database, organizationId);
  const pools = async () =>
    (await house.em().find(Pool, { id: { $like: 'http:%' } }, { orderBy: { id: 'asc' } })).map(({ id }) => id);
  const ids = ['idle', 'lately', 'busy'].map((name) => `http:${organizationId}:${name}.example.com`) as [string, string, string];
  for (const id of ids) await usePool(own, id, 10);
  await setPool(house.em(), house.pool('channel:old'), 10, 1);
  await house.em().nativeUpdate(Pool, { id: { $in: [ids[0], ids[2]] } }, { used_at: inMs(-40 * dayMs) });
  await house.accept({ pool: ids[2] });
  const purgePools = () =>
    runPurge(purges.find(({ table }) => table === 'pools')!, {
      config: house.deps.config,
      database: house.database,
      isStopping: () => false,
      batch: 2,
      pauseMs: 0,
    });
  expect((await purgePools()).deleted).toEqual({ pools: 1 });
  expect(await pools()).toEqual([ids[1], ids[2]].sort());
  expect(await house.em().count(Pool, { id: 'channel:old' })).toBe(1);
  for (const id of ids) await usePool(own, id, 10);
  expect(await pools()).toEqual([...ids].sort());
  expect((await purgePools()).deleted).toEqual({ pools: 0 });
});
