import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { StepContext } from '../../../src/automation/actions/action.ts';
import { startRuleAction } from '../../../src/automation/actions/start-rule.ts';
import type { Step } from '../../../src/automation/definition/definition.ts';
import { cancelRun } from '../../../src/automation/runs/end.ts';
import { retryRun } from '../../../src/automation/runs/retry.ts';
import { isLive, type RunState, runMoves, runStates } from '../../../src/automation/states.ts';
import { ownRows } from '../../../src/platform/database/own.ts';
import { uuidv7 } from '../../../src/platform/ids.ts';
import { checkJobs } from '../../../src/platform/ledger/check.ts';
import { LocksOutdated } from '../../../src/platform/ledger/locks.ts';
import { doing, openRuleHouse, type RuleHouse } from '../../support/rule-runs.ts';
import { ruleRows, ruleVersionRows, runRows } from '../../support/work/automation.ts';
import { contactRows } from '../../support/work/contacts.ts';
import { rightNow } from '../../support/work/rows.ts';

let at: RuleHouse;
beforeAll(async () => {
  at = await openRuleHouse();
});
afterAll(() => at.close());

const is = (value: string) => ({ field: 'contact.custom_fields.tier', operator: 'eq', value });
const setTier = (id: string, tier: string) => contactRows.change(at, id, { custom_fields: { tier } });
const wait: Step = { id: 'w', type: 'wait', for: { hours: 1 } };
const choose: Step = {
  id: 'choose',
  type: 'branch',
  branches: [
    { conditions: is('gold'), steps: [doing('gold')] },
    { conditions: is('silver'), steps: [doing('silver'), { id: 'end', type: 'stop', reason: 'silver {{ contact.name }}' }] },
  ],
  else: [doing('other')],
};

test.each([
  ['gold', ['gold', 'last'], 0, ''],
  ['silver', ['silver'], 1, 'silver Ada'],
  ['none', ['other', 'last'], 'else', ''],
])('a branch takes the first that holds: %s', async (tier, effects, branch, reason) => {
  const run = await at.begin(await at.rule([choose, doing('last')]), { subjectId: await at.contact({ tier }) });
  await at.work(run);
  expect(await at.effects(run)).toEqual(effects);
  expect(await at.seen(run)).toMatchObject({ state: 'succeeded', reason });
  expect((await at.steps(run))[0]).toMatchObject({ step_id: 'choose', state: 'done', output: { branch } });
});

test('a branch that none holds for, and that has no other way, leads on', async () => {
  const { else: _, ...rest } = choose as Step & { else: Step[] };
  const run = await at.begin(await at.rule([rest as Step, doing('last')]), { subjectId: await at.contact() });
  await at.work(run);
  expect(await at.effects(run)).toEqual(['last']);
  expect((await at.steps(run))[0]).toMatchObject({ output: { branch: null } });
});

test('variables are set, are read by what follows, and end with their limit', async () => {
  const set = (id: string, vars: object): Step => ({ id, type: 'set_vars', vars });
  const long = 'x'.repeat(9_000);
  const run = await at.begin(
    await at.rule([
      set('one', { who: '{{ contact.name }}', n: 2 }),
      doing('a', { name: '{{ vars.who }}{{ vars.n }}{{ vars.given }}' }),
      set('two', { who: 'Bob' }),
      doing('b', { name: '{{ vars.who }}' }),
      set('three', { long, longer: long }),
    ]),
    { vars: { given: '!' } },
  );
  await at.work(run);
  expect(await at.effects(run)).toEqual(['Ada2!', 'Bob']);
  expect(await at.seen(run)).toMatchObject({
    state: 'failed',
    failed_step: 'three',
    vars: { who: 'Bob', n: 2, given: '!' },
    error: { code: 'limit_reached' },
  });
});

test('after a wait the conditions are asked again, with what is true then', async () => {
  const rule = await at.rule([doing('a'), wait, doing('b')], { conditions: is('gold') });
  const [still, changed] = [await at.contact({ tier: 'gold' }), await at.contact({ tier: 'gold' })];
  const runs = [await at.begin(rule, { subjectId: still }), await at.begin(rule, { subjectId: changed })] as const;
  for (const run of runs) await at.work(run);
  await setTier(changed, 'silver');
  expect(await at.passTime(runs[0])).toMatchObject({ state: 'succeeded' });
  expect(await at.passTime(runs[1])).toMatchObject({
    state: 'cancelled',
    reason: 'conditions',
    position: { at: [2] },
    job_id: null,
  });
  expect(await at.effects(runs[1])).toEqual(['a']);
  expect((await at.steps(runs[1]))[1]).toMatchObject({ step_id: 'w', state: 'done' });
});

test('unless the wait says not to; what ends a run is always asked', async () => {
  const steps = [{ ...wait, recheck: false } as Step, doing('b')];
  const run = await at.begin(await at.rule(steps, { conditions: is('gold') }), { subjectId: await at.contact() });
  await at.work(run);
  expect(await at.passTime(run)).toMatchObject({ state: 'succeeded' });
  const subjectId = await at.contact();
  const ended = await at.begin(await at.rule(steps, { conditions: is('gold'), exit_when: is('left') }), { subjectId });
  await at.work(ended);
  await setTier(subjectId, 'left');
  expect(await at.passTime(ended)).toMatchObject({ state: 'cancelled', reason: 'exit_when' });
});

/** A run in each state, with a job where it lives. */
async function inState(state: RunState): Promise<string> {
  const steps: Record<RunState, Step[]> = {
    ...{
      queued: [doing('a')],
      running: [wait],
      succeeded: [doing('a')],
      failed: [doing('a', { when: 'write' })],
      cancelled: [wait],
    },
  };
  const run = await at.begin(await at.rule(steps[state]));
  if (state !== 'queued') await at.work(run);
  if (state === 'cancelled') await at.locked(run, (tx) => cancelRun(tx, run, 'asked'));
  expect(await at.seen(run)).toMatchObject({ state });
  return run;
}

const moves = {
  cancel: (run: string) => at.locked(run, (tx) => cancelRun(tx, run, 'asked', 'key:1')),
  retry: (run: string) => at.locked(run, (tx) => retryRun(tx, run)),
};

test.each(runStates.flatMap((state) => (['cancel', 'retry'] as const).map((move) => ({ state, move }))))(
  'a run that is $state: $move',
  async ({ state, move }) => {
    const run = await inState(state);
    const to = runMoves[move][state];
    const moved = moves[move](run);
    if (to) {
      await moved;
      expect(await at.seen(run)).toMatchObject({ state: to });
    } else {
      await expect(moved).rejects.toMatchObject({
        code: 'conflict',
        message: expect.stringContaining(`The run is ${state}`),
        details: [{ code: 'run.state', value: state }],
      });
      expect(await at.seen(run)).toMatchObject({ state });
    }
    const rows = await at.jobs(run);
    expect(rows).toHaveLength(isLive(to ?? state) ? 1 : 0);
    // Where it lives it can be worked.
    if (to === 'queued') expect(await at.toRest(run)).toMatchObject({ state: 'failed', retries: 1 });
  },
);

test('two retries at once: one is a 409', async () => {
  const run = await inState('failed');
  const ended = await Promise.allSettled([moves.retry(run), moves.retry(run)]);
  expect(ended.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  expect(await at.jobs(run)).toHaveLength(1);
  expect(await at.seen(run)).toMatchObject({ state: 'queued', retries: 1 });
});

test('a retry goes on from the step that failed', async () => {
  const run = await at.begin(await at.rule([doing('a'), doing('b'), doing('c')]));
  at.toys.refusals.add('write b');
  await at.work(run);
  expect(await at.seen(run)).toMatchObject({ state: 'failed', failed_step: 'b' });
  at.toys.refusals.clear();
  await moves.retry(run);
  expect(await at.toRest(run)).toMatchObject({ state: 'succeeded', steps_run: 3, retries: 1, failed_step: null, error: null });
  expect(await at.effects(run)).toEqual(['a', 'b', 'c']);
  expect((await at.steps(run)).map(({ step_id, state, attempt }) => [step_id, state, attempt])).toEqual([
    ['a', 'done', 1],
    ['b', 'done', 2],
    ['c', 'done', 1],
  ]);
});

test('a retry is refused where the rule or the subject is gone, and beside another live run of an exclusive rule', async () => {
  const code = (run: string) =>
    moves.retry(run).then(
      () => 'retried',
      (error) => error.details[0].code,
    );
  const rule = await at.rule([doing('a', { when: 'write' })]);
  const subjectId = await at.contact();
  const run = await at.begin(rule, { subjectId, isExclusive: true });
  await at.work(run);
  const other = await at.begin(rule, { subjectId, isExclusive: true });
  expect(await code(run)).toBe('run.subject_busy');
  await at.work(other);
  await ruleRows.change(at, rule, { deleted_at: rightNow() });
  expect(await code(run)).toBe('run.rule_deleted');
  await ruleRows.change(at, rule, { deleted_at: null });
  await contactRows.remove(at, subjectId);
  expect(await code(run)).toBe('run.subject_gone');
  expect(await at.seen(run)).toMatchObject({ state: 'failed', retries: 0 });
});

test('a rule starts another one about the same subject, within the limits of that one', async () => {
  const [other, subjectId] = [
    await at.rule([doing('other', { name: '{{ vars.why }}' })], { concurrency: 'skip' }),
    await at.contact(),
  ];
  const start = (id: string): Step => ({ id, type: 'start_rule', rule_id: other, vars: { why: 'asked {{ contact.name }}' } });
  const rule = await at.rule([start('s'), start('again'), doing('last')]);
  const run = await at.begin(rule, { subjectId });
  await at.work(run);
  const [first, second] = await at.steps(run);
  expect(first).toMatchObject({ output: { is_started: true, run_id: expect.any(String) } });
  expect(second).toMatchObject({ output: { is_started: false, held: 'subject_busy' } });
  const started = (first!.output as { run_id: string }).run_id;
  const [row] = await runRows.all(at, started, ['trigger', 'started_by', 'chain', 'subject_id', 'contact_id']);
  expect(row).toEqual({
    trigger: 'rule',
    started_by: `run:${run}`,
    chain: [rule, other],
    subject_id: subjectId,
    contact_id: subjectId,
  });
  await at.toRest(started);
  expect(await at.effects(started)).toEqual(['asked Ada']);
  expect(await at.effects(run)).toEqual(['last']);
});

test('a rule that was paused or published since the step looked is looked at again', async () => {
  const [other, subjectId] = [await at.rule([doing('other')]), await at.contact()];
  const run = {
    id: uuidv7(),
    rule_id: uuidv7(),
    subject_type: 'contact',
    subject_id: subjectId,
    contact_id: subjectId,
    chain: [],
  };
  const context = { own: ownRows(at.house.database, at.organization), actor: `run:${run.id}`, run } as unknown as StepContext;
  const { locks, write } = await startRuleAction.prepare(context, { rule_id: other });
  for (const change of [`status = 'paused'`, `status = 'live', version = 2`]) {
    await at.sql(`update automation_rules set ${change} where id = $1`, [other]);
    await expect(at.transact({ locks }, (tx) => write(tx))).rejects.toBeInstanceOf(LocksOutdated);
  }
  expect(await runRows.count(at, { rule_id: other })).toBe(0);
});

test('variables that another rule is given are bounded as those of a run', () => {
  const { fields } = startRuleAction;
  const vars = { text: 'é'.repeat(8 * 1024) };
  expect(fields.validate({ rule_id: uuidv7(), vars }).error?.message).toBe('"vars" has more than 16384 bytes');
  expect(fields.validate({ rule_id: uuidv7(), vars: { text: 'e'.repeat(8 * 1024) } }).error).toBeUndefined();
});

test('a rule does not start itself', async () => {
  const rule = await at.rule([]);
  const steps = [{ id: 's', type: 'start_rule', rule_id: rule }, doing('last')] as Step[];
  const [{ definition }] = (await ruleVersionRows.all(at, { rule_id: rule }, ['definition'])) as [{ definition: object }];
  await at.version(rule, 2, { ...definition, steps });
  await at.version(rule, 3, { ...definition, steps, concurrency: 'restart', limits: { allow_reentry: true } });
  await ruleRows.change(at, rule, { version: 2 });
  const run = await at.begin(rule, { version: 2 });
  await at.work(run);
  expect((await at.steps(run))[0]).toMatchObject({ output: { is_started: false, held: 'loop' } });
  await ruleRows.change(at, rule, { version: 3 });
  const anew = await at.begin(rule, { version: 3 });
  await at.work(anew);
  expect(await at.seen(anew)).toMatchObject({ state: 'failed', failed_step: 's', error: { code: 'conflict' } });
});

test('nothing is left over', async () => {
  expect(await checkJobs(at.house.database)).toEqual([]);
});
