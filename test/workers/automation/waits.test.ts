import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Step } from '../../../src/automation/definition/definition.ts';
import { cancelRun } from '../../../src/automation/runs/end.ts';
import { wakeRun } from '../../../src/automation/runs/wake.ts';
import type { BusinessHours } from '../../../src/organizations/organization.entity.ts';
import { uuidv7 } from '../../../src/platform/ids.ts';
import { checkJobs } from '../../../src/platform/ledger/check.ts';
import { doing, openRuleHouse, type RuleHouse } from '../../support/rule-runs.ts';
import { ruleRows, waitRows } from '../../support/work/automation.ts';
import { conversationRows } from '../../support/work/messages.ts';
import { organizationRows } from '../../support/work/organizations.ts';
import { rightNow } from '../../support/work/rows.ts';

let at: RuleHouse;
beforeAll(async () => {
  at = await openRuleHouse();
});
beforeEach(() => at.toys.forget());
afterAll(() => at.close());

const waiting = (more: object): Step => ({ id: 'w', type: 'wait', ...more });
const awaiting = (more: object = {}): Step => ({
  ...{ id: 'f', type: 'wait_for', event: 'contact.updated', timeout: { hours: 2 } },
  ...lists(doing('came'), doing('late')),
  ...more,
});
const lists = (came: Step, late: Step) =>
  Object.fromEntries([
    ['on_event', [came]],
    ['on_timeout', [late]],
  ]);
const waits = (run: string) =>
  waitRows.all(at, { run_id: run }, ['event_type', 'subject_type', 'subject_id'], { subject_type: 'asc' });
const wake = (run: string, event = uuidv7()) => at.locked(run, (tx) => wakeRun(tx, run, event));
const hours = (ms: number | undefined) => (ms ?? 0) / 3_600_000;

test('a wait is the job of the run, put off, in one transaction with the steps before it', async () => {
  const run = await at.begin(await at.rule([doing('a'), waiting({ for: { hours: 2, minutes: 30 } }), doing('b')]));
  expect(await at.work(run)).toMatchObject({ kind: 'wait', isMoved: true });
  const seen = await at.seen(run);
  expect(seen).toMatchObject({ state: 'running', steps_run: 1, waiting_for: 'wait', position: { at: [1] } });
  expect(hours(Date.parse(seen.wakes_at!) - Date.now())).toBeCloseTo(2.5, 1);
  const [job] = await at.jobs(run);
  expect(job).toMatchObject({ id: seen.job_id, state: 'queued', attempts: 0 });
  expect(hours(job!.run_in)).toBeCloseTo(2.5, 1);
  expect((await at.steps(run))[1]).toMatchObject({ number: 2, step_id: 'w', state: 'waiting', is_ended: false });
  expect(await at.effects(run)).toEqual(['a']);
  expect(await at.passTime(run)).toMatchObject({ state: 'succeeded', steps_run: 3, waiting_for: null, wakes_at: null });
  expect((await at.steps(run))[1]).toMatchObject({ state: 'done', attempt: 1, is_ended: true });
  expect(await at.effects(run)).toEqual(['a', 'b']);
});

test('one that is begun before its time waits for the rest', async () => {
  const run = await at.begin(await at.rule([waiting({ for: { hours: 2 } }), doing('b')]));
  await at.work(run);
  expect(await at.work(run)).toMatchObject({ kind: 'wait' });
  expect(hours((await at.jobs(run))[0]!.run_in)).toBeCloseTo(2, 1);
  expect(await at.seen(run)).toMatchObject({ state: 'running', steps_run: 0, waiting_for: 'wait' });
  expect(await at.passTime(run)).toMatchObject({ state: 'succeeded' });
});

test('until a time, a day or what a field says', async () => {
  await organizationRows.change(at, at.organization, { timezone: 'Asia/Kathmandu' });
  const soon = new Date(Date.now() + 40 * 86_400_000).toISOString();
  const day = soon.slice(0, 10);
  const subjectId = await at.contact({ renews: soon });
  for (const [until, moment] of [
    [soon, Date.parse(soon)],
    ['{{ contact.custom_fields.renews }}', Date.parse(soon)],
    [day, Date.parse(`${day}T00:00:00+05:45`)],
    [`${day}T09:30`, Date.parse(`${day}T09:30:00+05:45`)],
    [`${day} 09:30:10`, Date.parse(`${day}T09:30:10+05:45`)],
  ] as const) {
    const run = await at.begin(await at.rule([waiting({ until }), doing('b')]), { subjectId });
    await at.work(run);
    expect({ until, at: Date.parse((await at.seen(run)).wakes_at!) }).toEqual({ until, at: moment });
  }
  await organizationRows.change(at, at.organization, { timezone: 'UTC' });
});

test('until a time that has passed: it goes on at once', async () => {
  const run = await at.begin(await at.rule([doing('a'), waiting({ until: '2020-01-01T00:00:00Z' }), doing('b')]));
  expect(await at.work(run)).toEqual({ kind: 'done' });
  expect(await at.effects(run)).toEqual(['a', 'b']);
  expect((await at.steps(run))[1]).toMatchObject({ state: 'done', input: { until: '2020-01-01T00:00:00.000Z' } });
});

test.each([
  ['tomorrow', 'tomorrow'],
  ['a name', '{{ contact.name }}'],
  ['no day', '2027-02-30'],
  ['more than a year from now', new Date(Date.now() + 366 * 86_400_000).toISOString()],
])('until %s fails its step', async (_, until) => {
  const run = await at.begin(await at.rule([waiting({ until })]));
  await at.work(run);
  expect(await at.seen(run)).toMatchObject({
    state: 'failed',
    failed_step: 'w',
    error: { code: 'invalid_request', message: expect.stringContaining('A wait is') },
  });
});

test('within business hours: until they open, also when it wakes outside of them', async () => {
  const now = new Date();
  const days = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
  const tomorrow = new Date(now.getTime() + 86_400_000);
  const hours = (day: string) => [{ day, from: '09:00', to: '10:00' }];
  const setHours = (value: object) => organizationRows.change(at, at.organization, { business_hours: value as BusinessHours });
  await setHours(hours(days[tomorrow.getUTCDay()]!));
  const opens = `${tomorrow.toISOString().slice(0, 10)}T09:00:00.000Z`;
  const run = await at.begin(await at.rule([waiting({ for: { seconds: 1 }, business_hours: true }), doing('b')]));
  await at.work(run);
  expect(new Date((await at.seen(run)).wakes_at!).toISOString()).toBe(opens);
  // Its worker comes late.
  await at.passTime(run);
  expect(await at.seen(run)).toMatchObject({ state: 'running', waiting_for: 'wait' });
  expect(new Date((await at.seen(run)).wakes_at!).toISOString()).toBe(opens);
  await setHours([
    { day: days[now.getUTCDay()]!, from: '00:00', to: '24:00' },
    { day: days[tomorrow.getUTCDay()]!, from: '00:00', to: '24:00' },
  ]);
  expect(await at.passTime(run)).toMatchObject({ state: 'succeeded' });
  await setHours([]);
});

test('a run that waits is cancelled there, and its job with it', async () => {
  const run = await at.begin(await at.rule([awaiting(), doing('b')]));
  await at.work(run);
  expect(await waits(run)).toHaveLength(1);
  await at.locked(run, (tx) => cancelRun(tx, run, 'asked', 'key:1'));
  expect(await at.seen(run)).toMatchObject({
    state: 'cancelled',
    reason: 'asked',
    waiting_for: null,
    wakes_at: null,
    job_id: null,
  });
  expect(await at.steps(run)).toMatchObject([
    { state: 'skipped', error: { code: 'cancelled', message: 'The run was cancelled by key:1' }, is_ended: true },
  ]);
  expect(await at.jobs(run)).toEqual([]);
  expect(await waits(run)).toEqual([]);
  await at.locked(run, (tx) => cancelRun(tx, run, 'rule_deleted'));
  expect(await at.seen(run)).toMatchObject({ reason: 'asked' });
  expect(await wake(run)).toBe(false);
});

test('a deleted rule ends its run at the end of the wait', async () => {
  const rule = await at.rule([waiting({ for: { hours: 1 } }), doing('b')]);
  const run = await at.begin(rule);
  await at.work(run);
  await ruleRows.change(at, rule, { deleted_at: rightNow() });
  expect(await at.passTime(run)).toMatchObject({ state: 'cancelled', reason: 'rule_deleted' });
});

test('a run waits for an event about its subject, and the event wakes it', async () => {
  const subjectId = await at.contact();
  const run = await at.begin(await at.rule([doing('a'), awaiting(), doing('b')]), { subjectId });
  await at.work(run);
  expect(await waits(run)).toEqual([{ event_type: 'contact.updated', subject_type: 'contact', subject_id: subjectId }]);
  expect(await at.seen(run)).toMatchObject({ waiting_for: 'wait_for', position: { at: [1], waiting: { awaits: true } } });
  const event = uuidv7();
  expect(await wake(run, event)).toBe(true);
  expect(await wake(run)).toBe(false);
  expect(await waits(run)).toEqual([]);
  const [job] = await at.jobs(run);
  expect(job!.run_in).toBeLessThanOrEqual(0);
  expect(await at.toRest(run)).toMatchObject({ state: 'succeeded', position: { at: [3], event_id: event } });
  expect(await at.effects(run)).toEqual(['a', 'came', 'b']);
  expect((await at.steps(run))[1]).toMatchObject({ step_id: 'f', state: 'done', output: { event_id: event } });
});

test('without the event it goes on after the time, the other way', async () => {
  const run = await at.begin(await at.rule([awaiting(), doing('b')]));
  await at.work(run);
  expect(await at.passTime(run)).toMatchObject({ state: 'succeeded' });
  expect(await at.effects(run)).toEqual(['late', 'b']);
  expect(await waits(run)).toEqual([]);
  expect((await at.steps(run))[0]).toMatchObject({ output: { timed_out: true } });
});

test('an event that comes while the end of the time is at work wins', async () => {
  const run = await at.begin(await at.rule([awaiting()]));
  await at.work(run);
  const act = at.toys.actions.get('do')! as { prepare: (...args: never[]) => Promise<unknown> };
  const { prepare } = act;
  let isWoken = false;
  act.prepare = async (...args) => {
    const prepared = await prepare(...args);
    if (!isWoken) {
      isWoken = true;
      expect(await wake(run)).toBe(true);
    }
    return prepared;
  };
  await at.passTime(run);
  act.prepare = prepare;
  expect(await at.toRest(run)).toMatchObject({ state: 'succeeded' });
  expect(await at.effects(run)).toEqual(['came']);
});

test('of a person it hears in all conversations; of a conversation only in that one', async () => {
  const subjectId = await at.contact();
  const channelId = await at.channel();
  const conversationId = uuidv7();
  await conversationRows.add(at, {
    organization_id: at.organization,
    id: conversationId,
    channel_id: channelId,
    contact_id: subjectId,
    status: 'open',
  });
  const rule = await at.rule([awaiting({ event: 'message.new' })]);
  const ofPerson = await at.begin(rule, { subjectId });
  await at.work(ofPerson);
  const row = (subject_type: string, subject_id: string) => ({ event_type: 'message.new', subject_type, subject_id });
  expect(await waits(ofPerson)).toEqual([row('contact', subjectId), row('conversation', conversationId)]);
  const ofConversation = await at.begin(rule, { subjectType: 'conversation', subjectId: conversationId, contactId: subjectId });
  await at.work(ofConversation);
  expect(await waits(ofConversation)).toEqual([row('conversation', conversationId)]);
});

test('nothing is left over', async () => {
  expect(await checkJobs(at.house.database)).toEqual([]);
});
