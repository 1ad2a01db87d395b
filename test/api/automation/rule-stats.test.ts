import { beforeEach, describe, expect, test } from '@jest/globals';
import { statsOfRule } from '../../../src/automation/rules/stats.ts';
import type { RunState } from '../../../src/automation/states.ts';
import { ownRows } from '../../../src/platform/database/own.ts';
import { type Body, type Tenant, useApp } from '../../support/app.ts';
import { rulesOf, stepsOf } from '../../support/automation-rules.ts';
import { automationRun } from '../../support/factories/automation.ts';
import { heldBack, storedSteps } from '../../support/stored/automation.ts';

const app = useApp();
let tenant: Tenant;
beforeEach(async () => {
  tenant = await app.organization();
});

const { act, draft, published } = rulesOf(app, () => tenant);
const none = { queued: 0, running: 0, succeeded: 0, failed: 0, cancelled: 0, total: 0 };
const zeros = { done: 0, failed: 0, waiting: 0, skipped: 0 };
const nothingHeld = { loop: 0, chain_too_long: 0, too_often: 0, rule_too_often: 0, subject_busy: 0, too_many_runs: 0 };

/** Steps: `<id> <state>`, in their order. */
async function run(ruleId: string, state: string, steps: string[] = []): Promise<void> {
  const { id } = await automationRun(app.em(), tenant.organizationId, { ruleId, state: state as RunState });
  for (const [number, step] of steps.entries()) {
    const [stepId, stepState] = step.split(' ');
    await storedSteps.add(app, {
      organization_id: tenant.organizationId,
      run_id: id,
      number,
      step_id: stepId,
      type: 'add_tag',
      state: stepState,
    });
  }
}
const stats = async (id: string): Promise<Body> => (await act('stats', id)).body;

test('of a draft: its steps, and nothing has happened', async () => {
  const { id } = await draft();
  expect(await stats(id)).toEqual({
    rule_id: id,
    runs: none,
    held: nothingHeld,
    steps: [{ step_id: 'welcome', type: 'add_tag', ...zeros }],
    steps_of: 0,
  });
});

test('runs by state, steps in their order by what became of them, starts that were held back', async () => {
  const steps = [
    { id: 'z_first', type: 'add_tag', tag: 'a' },
    {
      id: 'choice',
      type: 'branch',
      branches: [
        {
          conditions: { field: 'contact.email', operator: 'is_not_empty' },
          steps: [{ id: 'inner', type: 'add_tag', tag: 'b' }],
        },
      ],
      else: [{ id: 'otherwise', type: 'add_tag', tag: 'c' }],
    },
    { id: 'a_last', type: 'add_tag', tag: 'd' },
  ];
  const { id } = await published({ steps });
  await run(id, 'succeeded', ['z_first done', 'inner done', 'a_last done']);
  await run(id, 'succeeded', ['z_first done', 'otherwise skipped', 'a_last done']);
  await run(id, 'failed', ['z_first done', 'inner failed']);
  await run(id, 'running', ['z_first waiting']);
  await run(id, 'running', ['z_first done', 'inner calling']);
  await run(id, 'queued');
  const other = await published();
  await run(other.id, 'succeeded', ['welcome done']);
  await heldBack(app, tenant.organizationId, id, { loop: 3 });
  const seen = await stats(id);
  expect(seen.runs).toEqual({ queued: 1, running: 2, succeeded: 2, failed: 1, cancelled: 0, total: 6 });
  expect(seen.held).toEqual({ ...nothingHeld, loop: 3 });
  expect(seen.steps_of).toBe(6);
  expect(seen.steps).toEqual([
    { step_id: 'z_first', type: 'add_tag', done: 4, failed: 0, waiting: 1, skipped: 0 },
    { step_id: 'choice', type: 'branch', ...zeros },
    { step_id: 'inner', type: 'add_tag', done: 1, failed: 1, waiting: 1, skipped: 0 },
    { step_id: 'otherwise', type: 'add_tag', done: 0, failed: 0, waiting: 0, skipped: 1 },
    { step_id: 'a_last', type: 'add_tag', done: 2, failed: 0, waiting: 0, skipped: 0 },
  ]);
});

test('steps that only an earlier version had come last', async () => {
  const { id } = await published();
  await run(id, 'succeeded', ['welcome done']);
  await act('update', id, { steps: [{ id: 'other', type: 'add_tag', tag: 'x' }] });
  await act('publish', id);
  expect((await stats(id)).steps).toEqual([
    { step_id: 'other', type: 'add_tag', ...zeros },
    { step_id: 'welcome', type: 'add_tag', ...zeros, done: 1 },
  ]);
  await act('update', id, stepsOf('draft'));
  expect((await stats(id)).steps.map(({ step_id }: Body) => step_id)).toEqual(['other', 'welcome']);
});

test('of many runs the steps of the newest are counted', async () => {
  const { id } = await published();
  for (const state of ['failed', 'done', 'done']) await run(id, 'succeeded', [`welcome ${state}`]);
  const { database, reads } = app.web.deps;
  const own = ownRows(database, tenant.organizationId);
  const seen = await statsOfRule(reads.plain, own, id, 2);
  expect([seen.steps_of, seen.steps, seen.runs.total]).toEqual([
    2,
    [{ step_id: 'welcome', type: 'add_tag', ...zeros, done: 2 }],
    3,
  ]);
});

describe('refused', () => {
  test('of another organization, or without the scope', async () => {
    const { id } = await published();
    const ask = (key: string) => app.call('automation.rules.stats', { key, params: { ruleID: id } });
    expect((await ask(app.tenant.key)).status).toBe(404);
    expect((await ask((await app.key(tenant.organizationId, ['automation:write'])).key)).status).toBe(403);
  });
});
