import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type RunStats, statsOf } from '../../../../src/automation/runs/stats.ts';
import type { RunState } from '../../../../src/automation/states.ts';
import { ownRows } from '../../../../src/platform/database/own.ts';
import { setPool, usePool } from '../../../../src/platform/ledger/pools.ts';
import { purges } from '../../../../src/platform/retention/purges.ts';
import { runPurge } from '../../../../src/platform/retention/run.ts';
import { automationRun, rule, stepOf } from '../../../support/factories/automation.ts';
import { type House, openHouse } from '../../../support/house.ts';

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
const idsIn = async (table: string, column = 'id') =>
  (await house.sql<{ id: string }>(`select distinct ${column} as id from ${table} order by 1`)).map(({ id }) => id);

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
  expect(await idsIn('automation_runs')).toEqual(left);
  expect(await idsIn('automation_steps', 'run_id')).toEqual(left);
  expect([await stats(), await stats(one), await stats(other)]).toEqual(before);
  expect((await purge()).deleted).toEqual({ automation_runs: 0, automation_rules: 0 });
  expect((await purge({ retentionAutomationRunsDays: 20 })).deleted).toEqual({ automation_runs: 2, automation_rules: 0 });
  expect([await stats(), await stats(one), await stats(other)]).toEqual(before);
});

test('a failed run stays as long as its job, which can be retried', async () => {
  const id = await run(await ruleOf(), 'failed', 90);
  await house.sql(
    `insert into jobs (id, organization_id, name, queue, payload, subject_type, subject_id, state, check_at, finished_at)
     values (uuidv7(), $1, 'automation.run', 'automations', '{}', 'automation_run', $2, 'failed', clock_timestamp(), clock_timestamp())`,
    [house.organizationId, id],
  );
  await purge();
  expect(await idsIn('automation_runs')).toContain(id);
  await house.sql('delete from jobs where subject_id = $1', [id]);
  await purge();
  expect(await idsIn('automation_runs')).not.toContain(id);
});

test('a deleted rule goes with its versions once none of its runs is left; the organization has counted them', async () => {
  const [deleted, live] = [await ruleOf(), await ruleOf()];
  const before = await stats();
  await run(deleted, 'succeeded', 31);
  const young = await run(deleted, 'cancelled', 1);
  await house.sql('update automation_rules set deleted_at = clock_timestamp() where id = $1', [deleted]);
  expect((await purge()).deleted).toEqual({ automation_runs: 1, automation_rules: 0 });
  await house.sql(`update automation_runs set ended_at = clock_timestamp() - interval '31 day' where id = $1`, [young]);
  expect((await purge()).deleted).toEqual({ automation_runs: 1, automation_rules: 1 });
  expect(await idsIn('automation_rule_versions', 'rule_id')).not.toContain(deleted);
  expect(await idsIn('automation_counts', 'rule_id')).not.toContain(deleted);
  expect(await idsIn('automation_rules')).toContain(live);
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
  const pools = () =>
    house.sql<{ id: string }>(`select id from pools where id like 'http:%' order by id`).then((rows) => rows.map(({ id }) => id));
  const ids = ['idle', 'lately', 'busy'].map((name) => `http:${organizationId}:${name}.example.com`) as [string, string, string];
  for (const id of ids) await usePool(own, id, 10);
  await setPool(house.em(), house.pool('channel:old'), 10, 1);
  await house.sql(`update pools set used_at = used_at - interval '40 days' where id = any($1)`, [[ids[0], ids[2]]]);
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
  expect(await house.sql(`select 1 from pools where id = 'channel:old'`)).toHaveLength(1);
  for (const id of ids) await usePool(own, id, 10);
  expect(await pools()).toEqual([...ids].sort());
  expect((await purgePools()).deleted).toEqual({ pools: 0 });
});
