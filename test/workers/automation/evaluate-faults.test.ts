import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Registry } from 'prom-client';
import { createJobMetrics } from '../../../workers/job-metrics.ts';
import { openRuleHouse, type RuleHouse } from '../../support/evaluations.ts';
import { contact } from '../../support/factories/contact.ts';
import { jobRows, makeDue } from '../../support/work/jobs.ts';

let at: RuleHouse;
const registry = new Registry();
beforeAll(async () => {
  at = await openRuleHouse();
  Object.assign(at.house.deps, { jobMetrics: createJobMetrics(registry) });
});
afterAll(() => at.close());

const faults = async () => {
  const metric = await registry.getSingleMetric('kanal_job_faults_total')!.get();
  return metric.values.find(({ labels }) => labels.job === 'automation.evaluate')?.value ?? 0;
};
const due = (event: string) => makeDue(at, { subject_id: event });

test('an evaluation that meets an exception outside of its rules is reported, retried, and keeps the order of the events', async () => {
  const { id: who } = await contact(at.house.em(), at.organization);
  const rule = await at.rule({ conditions: { field: 'contact.name', operator: 'is_not_empty' } });
  const [first, second] = [await at.updated(who), await at.updated(who)];
  const before = await faults();
  await at.sql('alter table contact_merges rename to of_contacts');
  try {
    // After 15 in a row it fails: test/workers/run-job.test.ts.
    for (const delayMs of [5_000, 15_000, 60_000]) {
      await due(first);
      expect(await at.evaluate(first)).toMatchObject({ kind: 'wait', delayMs });
    }
  } finally {
    await at.sql('alter table of_contacts rename to contact_merges');
  }
  // For an operator: a figure, a line of the log, and a finding of `jobs check` once it lasts.
  expect((await faults()) - before).toBe(3);
  const line = { msg: 'a fault of our own', job: 'automation.evaluate' };
  expect(at.house.lines.filter((one) => one.msg === line.msg && one.job === line.job)).toHaveLength(3);
  const [row] = await jobRows.all(at, { subject_id: first }, ['error']);
  expect(row!.error).toMatchObject({ code: 'internal', times: 3 });
  expect(await at.evaluationOf(second)).toMatchObject({ state: 'blocked' });

  await due(first);
  expect(await at.evaluate(first)).toEqual({ kind: 'done' });
  expect(await at.evaluate(second)).toEqual({ kind: 'done' });
  expect((await at.runs(rule)).map(({ event_id: event }) => event)).toEqual([first, second]);
});
