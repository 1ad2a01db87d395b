import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Registry } from 'prom-client';
import { createJobMetrics } from '../../workers/job-metrics.ts';
import { runJob } from '../../workers/run-job.ts';
import { createSweepMetrics } from '../../workers/sweep-metrics.ts';
import { type House, onePlace, openHouse, toyHandler } from '../support/house.ts';
import { readExposition } from '../support/prometheus.ts';
import { playJob } from '../support/toys.ts';
import { jobRows } from '../support/work/jobs.ts';
import { rightNow } from '../support/work/rows.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

const pageOf = async (registry: Registry) => readExposition(await registry.metrics());

test('a fault of our own is counted by its job, and a refusal of the provider is none', async () => {
  const registry = new Registry();
  const deps = { ...house.deps, jobMetrics: createJobMetrics(registry) };
  const { id } = await house.accept();
  const broken = toyHandler(playJob, async () => {
    throw new TypeError('a bug');
  });
  const { ended } = await runJob(
    deps,
    broken,
    { organization_id: house.organizationId, id, run: 1, attemptsMade: 0, stalledCounter: 0 },
    onePlace,
  );
  expect(ended.kind).toBe('wait');
  const second = await house.accept();
  const refused = toyHandler(playJob, (_payload, context) => context.fail({ code: 'provider_refused', message: 'No' }));
  await runJob(
    deps,
    refused,
    { organization_id: house.organizationId, id: second.id, run: 1, attemptsMade: 0, stalledCounter: 0 },
    onePlace,
  );
  const page = await pageOf(registry);
  expect(page.samples.filter(({ name }) => name === 'kanal_job_faults_total')).toEqual([
    { name: 'kanal_job_faults_total', labels: { job: 'toys.play' }, value: 1 },
  ]);
});

test('only a try has a duration', async () => {
  const registry = new Registry();
  const metrics = createJobMetrics(registry);
  for (const outcome of ['done', 'again', 'wait', 'failed', 'stale', 'retried', 'early', 'held', 'full', 'done'])
    metrics.ended('default', 'toys.play', outcome, 0.004);
  const page = await pageOf(registry);
  expect(page.values('kanal_job_runs_total')).toHaveLength(9);
  expect(page.value('kanal_job_runs_total', { outcome: 'done' })).toBe(2);
  expect(page.values('kanal_job_try_duration_seconds_count')).toHaveLength(4);
  expect(page.value('kanal_job_try_duration_seconds_sum', { outcome: 'done' })).toBeCloseTo(0.008, 9);
  expect(page.value('kanal_job_try_duration_seconds_bucket', { outcome: 'done', le: '0.005' })).toBe(2);
});

test('findings of sweeps add up; one that did not finish is counted and moves no time', async () => {
  const registry = new Registry();
  const metrics = createSweepMetrics(registry);
  metrics.failed();
  expect((await pageOf(registry)).value('kanal_sweep_completed_timestamp_seconds')).toBe(0);
  const { id } = await house.accept();
  await jobRows.change(house, id, { check_at: rightNow() });
  const findings = await house.sweep();
  expect(findings.looked).toBeGreaterThanOrEqual(1);
  metrics.done(findings, 0.02);
  metrics.done({ parked: 4, looked: 2, added: 1, rerun: 1, woken: 1, pools: 3, lanes: 1, isWhole: true }, 0.6);
  const page = await pageOf(registry);
  expect(page.value('kanal_sweeper_findings_total', { finding: 'parked' })).toBe(findings.parked + 4);
  expect(page.value('kanal_sweeper_findings_total', { finding: 'looked' })).toBe(findings.looked + 2);
  expect(page.value('kanal_sweeper_findings_total', { finding: 'added' })).toBe(findings.added + 1);
  expect(page.value('kanal_sweeper_findings_total', { finding: 'pools' })).toBe(findings.pools + 3);
  expect([
    page.value('kanal_sweeps_total', { outcome: 'done' }),
    page.value('kanal_sweeps_total', { outcome: 'failed' }),
  ]).toEqual([2, 1]);
});
