import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { cancelRun } from '../../../src/automation/runs/end.ts';
import { uuidv7 } from '../../../src/platform/ids.ts';
import { checkJobs } from '../../../src/platform/ledger/check.ts';
import { doing, openRuleHouse, type RuleHouse } from '../../support/rule-runs.ts';
import { ruleRows } from '../../support/work/automation.ts';
import { eventRows } from '../../support/work/events.ts';
import { jobRows } from '../../support/work/jobs.ts';
import { rightNow } from '../../support/work/rows.ts';

let at: RuleHouse;
beforeAll(async () => {
  at = await openRuleHouse();
});
beforeEach(() => {
  at.toys.refusals.clear();
  at.toys.prepared.length = 0;
});
afterAll(() => at.close());

/** How many transactions wrote the effects of a run. */
const transactionsOf = async (run: string) =>
  (await at.sql('select distinct xmin::text from effects where run_id = $1', [run])).length;

test('three steps are done once, with a row each, and the run has succeeded', async () => {
  const rule = await at.rule([doing('a'), doing('b'), doing('c')]);
  const run = await at.begin(rule);
  expect(await at.seen(run)).toMatchObject({ state: 'queued', job_id: (await at.jobs(run))[0]!.id });
  expect(await at.work(run)).toEqual({ kind: 'done' });
  expect(await at.effects(run)).toEqual(['a', 'b', 'c']);
  expect(await at.seen(run)).toMatchObject({
    state: 'succeeded',
    steps_run: 3,
    position: { at: [3] },
    job_id: null,
    error: null,
  });
  const step = (number: number, id: string) => ({
    ...{ number, step_id: id, type: 'do', state: 'done', attempt: 1, input: { name: id }, output: { name: id }, error: null },
    is_ended: true,
  });
  expect(await at.steps(run)).toEqual([step(1, 'a'), step(2, 'b'), step(3, 'c')]);
  expect(await at.jobs(run)).toEqual([]);
  const [effect] = await at.sql('select cause, chain from effects where run_id = $1 limit 1', [run]);
  expect(effect).toEqual({ cause: `run:${run}`, chain: [rule] });
  expect(await at.tells(run)).toEqual([]);
});

test('a rule without steps succeeds at once', async () => {
  const run = await at.begin(await at.rule([]));
  await at.work(run);
  expect(await at.seen(run)).toMatchObject({ state: 'succeeded', steps_run: 0 });
});

test('an event or a moment begins one run, and a subject has one live run of an exclusive rule', async () => {
  const rule = await at.rule([doing('a')]);
  const subjectId = await at.contact();
  const eventId = uuidv7();
  const first = await at.begin(rule, { subjectId, eventId, trigger: 'event' });
  expect(first).toBeDefined();
  expect(await at.begin(rule, { subjectId, eventId, trigger: 'event' })).toBeUndefined();
  const occursAt = new Date('2026-01-01T00:00:00Z');
  expect(await at.begin(rule, { subjectId, occursAt, trigger: 'schedule' })).toBeDefined();
  expect(await at.begin(rule, { subjectId, occursAt, trigger: 'schedule' })).toBeUndefined();
  const alone = await at.begin(rule, { subjectId, isExclusive: true });
  expect(await at.begin(rule, { subjectId, isExclusive: true })).toBeUndefined();
  await at.work(alone);
  expect(await at.begin(rule, { subjectId, isExclusive: true })).toBeDefined();
  expect(await jobRows.count(at, { subject_id: first })).toBe(1);
});

test('a run keeps the version that it began with', async () => {
  const rule = await at.rule([doing('old'), { id: 'w', type: 'wait', for: { hours: 1 } }, doing('old2')]);
  const run = await at.begin(rule);
  await at.work(run);
  await at.version(rule, 2, {
    trigger: { type: 'manual' },
    conditions: null,
    steps: [doing('new')],
    concurrency: 'each',
    exit_when: null,
    limits: {},
  });
  await ruleRows.change(at, rule, { version: 2 });
  expect(await at.passTime(run)).toMatchObject({ state: 'succeeded', version: 1 });
  expect(await at.effects(run)).toEqual(['old', 'old2']);
});

test.each(['prepare', 'write'] as const)(
  'a refusal of the first step at its %s writes nothing of it, and fails the run',
  async (when) => {
    const rule = await at.rule([doing('a', { when }), doing('b')]);
    const run = await at.begin(rule);
    expect(await at.work(run)).toEqual({ kind: 'done' });
    expect(await at.effects(run)).toEqual([]);
    const error = { code: 'consent_required', message: 'Not allowed' };
    expect(await at.seen(run)).toMatchObject({
      state: 'failed',
      failed_step: 'a',
      error,
      steps_run: 0,
      position: { at: [0] },
      job_id: null,
    });
    expect(await at.steps(run)).toMatchObject([
      { number: 1, step_id: 'a', state: 'failed', error, input: { name: 'a', when }, is_ended: true },
    ]);
    expect(await at.tells(run)).toEqual(['automation.run.failed']);
    const [event] = await eventRows.all(at, { subject_id: run }, ['data', 'cause']);
    expect(event).toMatchObject({
      cause: `run:${run}`,
      data: { run_id: run, rule_id: rule, version: 1, step: 'a', code: 'consent_required', subject_type: 'contact' },
    });
    const [{ failures }] = (await ruleRows.all(at, rule, ['failures'])) as [{ failures: number }];
    expect(failures).toBe(1);
  },
);

test.each(['prepare', 'write'] as const)('a refusal of the third step at its %s keeps the two before it', async (when) => {
  const run = await at.begin(await at.rule([doing('a'), doing('b'), doing('c', { when }), doing('d')]));
  await at.work(run);
  expect(await at.effects(run)).toEqual(['a', 'b']);
  expect(await at.seen(run)).toMatchObject({ state: 'failed', failed_step: 'c', steps_run: 2, position: { at: [2] } });
  expect((await at.steps(run)).map(({ step_id, state }) => [step_id, state])).toEqual([
    ['a', 'done'],
    ['b', 'done'],
    ['c', 'failed'],
  ]);
});

test('what is refused behind others of its transaction is tried alone', async () => {
  const run = await at.begin(await at.rule([doing('a'), doing('picky')]));
  at.toys.refusals.add('write picky');
  const act = at.toys.actions.get('do')! as { prepare: (...args: never[]) => unknown };
  const { prepare } = act;
  act.prepare = (...args) => {
    // It was prepared, and refused, once.
    if (at.toys.prepared.at(-1) === 'picky') at.toys.refusals.clear();
    return prepare(...args);
  };
  await at.work(run);
  act.prepare = prepare;
  expect(await at.effects(run)).toEqual(['a', 'picky']);
  expect(await at.seen(run)).toMatchObject({ state: 'succeeded', steps_run: 2 });
});

test('locks that are outdated are looked for again', async () => {
  const run = await at.begin(await at.rule([doing('a'), doing('b', { code: 'outdated' })]));
  at.toys.refusals.add('outdated');
  await at.work(run);
  expect(at.toys.prepared).toEqual(['a', 'b', 'a', 'b']);
  expect(await at.effects(run)).toEqual(['a', 'b']);
});

test('a step that must be alone has a transaction of its own', async () => {
  const run = await at.begin(await at.rule([doing('a'), doing('b', { type: 'do_alone' }), doing('c')]));
  const before = await at.sql<{ xid: string }>('select pg_current_xact_id()::text as xid');
  await at.work(run);
  expect(before).toHaveLength(1);
  expect(await transactionsOf(run)).toBe(3);
});

test('steps in a row are one transaction', async () => {
  const run = await at.begin(await at.rule([doing('a'), doing('b', { type: 'do_other' }), doing('c')]));
  await at.work(run);
  expect(await transactionsOf(run)).toBe(1);
});

test('a step that names what one before it gave is of the next transaction', async () => {
  const run = await at.begin(await at.rule([doing('a', { gives: 7 }), doing('b', { gives: '{{ steps.a.gives }}' }), doing('c')]));
  await at.work(run);
  expect(await transactionsOf(run)).toBe(2);
  expect((await at.steps(run))[1]).toMatchObject({ input: { gives: 7 }, output: { name: 'b', gives: 7 } });
});

test('a text that cannot be rendered fails its step', async () => {
  const run = await at.begin(await at.rule([doing('a'), doing('b', { name: '{{ contact.email }}' })]));
  await at.work(run);
  expect(await at.effects(run)).toEqual(['a']);
  expect(await at.seen(run)).toMatchObject({ state: 'failed', failed_step: 'b', error: { code: 'render_failed' } });
});

test('fields that are wrong once they are rendered fail their step', async () => {
  const run = await at.begin(await at.rule([doing('a', { when: '{{ contact.name }}' })]));
  await at.work(run);
  expect(await at.seen(run)).toMatchObject({ state: 'failed', failed_step: 'a', error: { code: 'invalid_request' } });
});

test('an action that is no longer there fails its step', async () => {
  const run = await at.begin(await at.rule([{ id: 'x', type: 'gone' }]));
  await at.work(run);
  expect(await at.seen(run)).toMatchObject({ state: 'failed', failed_step: 'x' });
});

test('a run takes so many steps as its rule allows', async () => {
  const run = await at.begin(await at.rule([doing('a'), doing('b'), doing('c')], { limits: { steps: 2 } }));
  await at.work(run);
  expect(await at.effects(run)).toEqual(['a', 'b']);
  expect(await at.seen(run)).toMatchObject({ state: 'failed', failed_step: 'c', steps_run: 2, error: { code: 'limit_reached' } });
});

test('a second run of the job, and one of another number, change nothing', async () => {
  const run = await at.begin(await at.rule([doing('a')]));
  const [job] = await at.jobs(run);
  await at.work(run);
  expect(await at.house.run(at.handler, job!)).toEqual({ kind: 'stale' });
  expect(await at.effects(run)).toEqual(['a']);
});

test('two workers at the same run do each step once', async () => {
  const run = await at.begin(await at.rule([doing('a'), doing('b', { type: 'do_alone' }), doing('c')]));
  const [job] = await at.jobs(run);
  await Promise.all([at.house.run(at.handler, job!), at.house.run(at.handler, job!)]);
  expect(await at.effects(run)).toEqual(['a', 'b', 'c']);
  expect(await at.seen(run)).toMatchObject({ state: 'succeeded', steps_run: 3 });
  expect(await at.jobs(run)).toEqual([]);
});

test('a run of a deleted rule is cancelled', async () => {
  const rule = await at.rule([doing('a')]);
  const run = await at.begin(rule);
  await ruleRows.change(at, rule, { deleted_at: rightNow() });
  await at.work(run);
  expect(await at.seen(run)).toMatchObject({ state: 'cancelled', reason: 'rule_deleted' });
  expect(await at.effects(run)).toEqual([]);
});

test('a run of a paused rule goes on', async () => {
  const rule = await at.rule([doing('a')]);
  const run = await at.begin(rule);
  await ruleRows.change(at, rule, { status: 'paused' });
  await at.work(run);
  expect(await at.seen(run)).toMatchObject({ state: 'succeeded' });
});

test('a cancel while it is at work undoes the batch under way, and nothing more is done', async () => {
  const run = await at.begin(await at.rule([doing('a', { type: 'do_alone' }), doing('b')]));
  const act = at.toys.actions.get('do')! as { prepare: (...args: never[]) => Promise<unknown> };
  const { prepare } = act;
  act.prepare = async (...args) => {
    const prepared = await prepare(...args);
    await at.locked(run, (tx) => cancelRun(tx, run, 'asked', 'key:test'));
    return prepared;
  };
  expect(await at.work(run)).toEqual({ kind: 'stale' });
  act.prepare = prepare;
  expect(await at.effects(run)).toEqual(['a']);
  expect(await at.seen(run)).toMatchObject({ state: 'cancelled', reason: 'asked', job_id: null });
  expect(await at.jobs(run)).toEqual([]);
});

test('a hundred runs in a row that fail pause their rule, and one that succeeds begins the count anew', async () => {
  const rule = await at.rule([doing('a', { when: '{% if contact.custom_fields.bad %}write{% else %}{{ nothing }}{% endif %}' })]);
  const good = await at.rule([doing('a')]);
  await ruleRows.change(at, { id: { $in: [rule, good] } }, { failures: 98 });
  const fail = async () => {
    const subjectId = await at.contact({ bad: true });
    const run = await at.begin(rule, { subjectId });
    await at.work(run);
    expect(await at.seen(run)).toMatchObject({ state: 'failed' });
  };
  await fail();
  const ofRule = (id: string) => ruleRows.all(at, id, ['status', 'failures', 'paused_reason']);
  expect(await ofRule(rule)).toEqual([{ status: 'live', failures: 99, paused_reason: '' }]);
  await fail();
  expect(await ofRule(rule)).toEqual([{ status: 'paused', failures: 0, paused_reason: 'only_fails' }]);
  expect(await at.tells(rule)).toEqual(['automation.rule.paused']);
  await fail();
  expect(await ofRule(rule)).toEqual([{ status: 'paused', failures: 1, paused_reason: 'only_fails' }]);
  await at.work(await at.begin(good));
  expect(await ofRule(good)).toEqual([{ status: 'live', failures: 0, paused_reason: '' }]);
});

test('what a step gives is kept within bounds', async () => {
  const run = await at.begin(await at.rule([doing('a', { gives: 'x'.repeat(20_000) })]));
  await at.work(run);
  expect(await at.steps(run)).toMatchObject([{ output: { is_too_long: true } }]);
});

test('in log mode every action is passed over with what it would do, and waits are not waited', async () => {
  const run = await at.begin(
    await at.rule([
      doing('a', { name: '{{ contact.name }}' }),
      { id: 'w', type: 'wait', for: { days: 3 } },
      { id: 'set', type: 'set_vars', vars: { who: '{{ contact.name }}' } },
      {
        id: 'f',
        type: 'wait_for',
        event: 'message.new',
        timeout: { hours: 1 },
        on_timeout: [doing('late', { name: '{{ vars.who }}' })],
      },
      doing('call', { type: 'ask' }),
    ]),
    { mode: 'log' },
  );
  expect(await at.work(run)).toEqual({ kind: 'done' });
  expect(await at.effects(run)).toEqual([]);
  expect(at.toys.asked).toEqual([]);
  expect(await at.seen(run)).toMatchObject({ state: 'succeeded', steps_run: 6, vars: { who: 'Ada' } });
  expect((await at.steps(run)).map(({ step_id, state, input }) => [step_id, state, input])).toEqual([
    ['a', 'skipped', { name: 'Ada' }],
    ['w', 'skipped', { until: expect.any(String) }],
    ['set', 'done', null],
    ['f', 'skipped', { event: 'message.new', until: expect.any(String) }],
    ['late', 'skipped', { name: 'Ada' }],
    ['call', 'skipped', { name: 'call' }],
  ]);
});

test('in log mode a stop ends the run, also where its reason reads what was never given', async () => {
  const stop = { id: 's', type: 'stop', reason: 'It is {{ steps.call.number }}' };
  const run = await at.begin(await at.rule([doing('call', { type: 'ask' }), stop, doing('never')]), { mode: 'log' });
  expect(await at.work(run)).toEqual({ kind: 'done' });
  expect(await at.seen(run)).toMatchObject({ state: 'succeeded', steps_run: 2, reason: '' });
  expect((await at.steps(run)).map(({ step_id, state, input }) => [step_id, state, input])).toEqual([
    ['call', 'skipped', { name: 'call' }],
    ['s', 'skipped', { reason: stop.reason }],
  ]);
});

test('nothing is left over', async () => {
  expect(await checkJobs(at.house.database)).toEqual([]);
});
