import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Step } from '../../../src/automation/definition/definition.ts';
import { runLock } from '../../../src/automation/jobs.ts';
import { beginRuns } from '../../../src/automation/runs/begin.ts';
import { cancelRun } from '../../../src/automation/runs/end.ts';
import { retryRun } from '../../../src/automation/runs/retry.ts';
import { wakeRun } from '../../../src/automation/runs/wake.ts';
import { isLive, type RunState } from '../../../src/automation/states.ts';
import { uuidv7 } from '../../../src/platform/ids.ts';
import { checkJobs } from '../../../src/platform/ledger/check.ts';
import { type Cut, cutConnections } from '../../support/cut-connections.ts';
import { doing, openRuleHouse, type RuleHouse } from '../../support/rule-runs.ts';
import { runRows } from '../../support/work/automation.ts';
import { jobRows } from '../../support/work/jobs.ts';

/** A process that dies, or loses its connection, at each statement of what it does with a run. */
let at: RuleHouse;
let cuts: ReturnType<typeof cutConnections>;
beforeAll(async () => {
  at = await openRuleHouse();
  cuts = cutConnections(at.house.database.pool);
  Object.assign(at.house.deps, { isStopping: cuts.isDead });
});
afterAll(() => at.close());

const wait: Step = { id: 'w', type: 'wait', for: { hours: 1 } };
const hears: Step = {
  id: 'f',
  type: 'wait_for',
  event: 'contact.updated',
  timeout: { hours: 1 },
  on_event: [doing('came')],
  on_timeout: [doing('late')],
};
const three = [doing('a'), doing('b'), doing('c')];
const asks: Step = { id: 'ask', type: 'ask', name: 'ask' };
const asksAgain: Step = { id: 'ask', type: 'ask_again', name: 'ask' };

type Act = (run: string) => Promise<unknown>;
const once: Act = (run) => at.work(run, { isFaulty: true });
const locked =
  (work: Parameters<RuleHouse['locked']>[1]): Act =>
  (run) =>
    at.transact({ locks: [runLock(run)] }, (tx) => work(tx));
const wakes: Act = (run) => locked((tx) => wakeRun(tx, run, uuidv7()))(run);
const cancels: Act = (run) => locked((tx) => cancelRun(tx, run, 'asked'))(run);
const retries: Act = (run) => locked((tx) => retryRun(tx, run))(run);

type Way = { steps: Step[]; before: Act[]; act: Act; ends: RunState[]; effects: string[][]; isJob: boolean };
const job = { act: once, isJob: true, ends: ['succeeded' as const] };
const ways: Record<string, Way> = {
  'three steps': { ...job, steps: three, before: [], effects: [['a', 'b', 'c']] },
  'transactions one after the other': {
    ...{ ...job, steps: [doing('a'), doing('b', { type: 'do_alone' }), doing('c', { name: '{{ steps.b.name }}c' })], before: [] },
    effects: [['a', 'b', 'bc']],
  },
  'a refusal behind two steps': {
    ...{
      ...job,
      steps: [doing('a'), doing('b'), doing('c', { when: 'write' })],
      before: [],
      ends: ['failed'],
      effects: [['a', 'b']],
    },
  },
  'the way into a wait': { ...job, steps: [doing('a'), wait, doing('b')], before: [], effects: [['a', 'b']] },
  'the way out of a wait': { ...job, steps: [doing('a'), wait, doing('b')], before: [once], effects: [['a', 'b']] },
  'the way into a wait for an event': {
    ...job,
    steps: [doing('a'), hears, doing('b')],
    before: [],
    effects: [['a', 'late', 'b']],
  },
  'the event that wakes it': {
    ...{ steps: [hears, doing('b')], before: [once], act: wakes, isJob: false, ends: ['succeeded'] },
    effects: [
      ['came', 'b'],
      ['late', 'b'],
    ],
  },
  'the way to a call': { ...job, steps: [doing('a'), asks, doing('b')], before: [], effects: [['a', 'b']] },
  'a call': {
    ...job,
    steps: [doing('a'), asks, doing('b')],
    before: [once],
    ends: ['succeeded', 'failed'],
    effects: [['a', 'b'], ['a']],
  },
  'a call that may be repeated': { ...job, steps: [doing('a'), asksAgain, doing('b')], before: [once], effects: [['a', 'b']] },
  'a cancel': {
    steps: [hears],
    before: [once],
    act: cancels,
    isJob: false,
    ends: ['cancelled', 'succeeded'],
    effects: [[], ['late']],
  },
  'a retry': {
    ...{
      steps: [doing('a'), doing('b', { when: 'write' })],
      before: [once],
      act: retries,
      isJob: false,
      ends: ['failed'],
      effects: [['a']],
    },
  },
};

async function cutAt({ steps, before, act, ends, effects }: Way, cut: Cut): Promise<boolean> {
  at.toys.forget();
  at.toys.asked.length = 0;
  const subjectId = await at.contact();
  const rule = await at.rule(steps);
  const run = await at.begin(rule, { subjectId });
  for (const earlier of before) await earlier(run);
  const { isCut, error } = await cuts.during(cut, () => act(run));
  if (error && !isCut) throw error;
  at.house.lines.length = 0;
  await jobRows.change(at.house, { subject_id: run }, { error: null });
  // Whoever was at it is dead; then time passes.
  for (let round = 0; round < 6 && isLive((await at.seen(run)).state as RunState); round += 1) await at.passTime(run);
  const seen = await at.seen(run);
  expect(ends).toContain(seen.state);
  expect(effects).toContainEqual(await at.effects(run));
  // What is not marked as repeatable is asked once at most; where it failed, nobody knows whether it was.
  if (steps.includes(asks)) expect(at.toys.asked.length).toBeLessThanOrEqual(1);
  if (steps.includes(asks) && seen.state === 'failed') expect(seen.error).toMatchObject({ code: 'outcome_unknown' });
  const rows = await at.steps(run);
  expect(rows.map(({ number }) => number)).toEqual(rows.map((_, index) => index + 1));
  expect(rows.filter(({ is_ended }) => !is_ended)).toEqual([]);
  expect((await at.jobs(run)).filter(({ state }) => state !== 'failed')).toEqual([]);
  return isCut;
}

const maxTrips = 60;

test.each(Object.entries(ways))('%s, cut off after each statement', async (_, way) => {
  for (const dies of [true, ...(way.isJob ? [false] : [])]) {
    let trip = 1;
    while (await cutAt(way, { dies, at: trip })) trip += 1;
    expect(trip).toBeGreaterThan(2);
    expect(trip).toBeLessThan(maxTrips);
  }
  expect(await checkJobs(at.house.database)).toEqual([]);
});

test('the begin of a run, cut off after each statement: a run with its job, or neither', async () => {
  const rule = await at.rule(three);
  const subjectId = await at.contact();
  for (let trip = 1, isCut = true; isCut; trip += 1) {
    const eventId = uuidv7();
    const begin = () =>
      at.transact({}, ({ own }) =>
        beginRuns(own, [
          {
            ...{ ruleId: rule, version: 1, mode: 'live', trigger: 'event', eventId, subjectType: 'contact', subjectId },
            ...{ contactId: subjectId, isExclusive: false, chain: [rule] },
          },
        ]),
      );
    ({ isCut } = await cuts.during({ dies: true, at: trip }, begin));
    const again = await begin();
    const runs = await runRows.all(at, { event_id: eventId }, ['id']);
    expect(runs).toHaveLength(1);
    expect(again.length).toBeLessThanOrEqual(1);
    expect(await at.toRest(runs[0]!.id)).toMatchObject({ state: 'succeeded' });
  }
  expect(await checkJobs(at.house.database)).toEqual([]);
});
