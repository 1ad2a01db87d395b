import { expect, test } from '@jest/globals';
import type { Step } from '../../../../src/automation/definition/definition.ts';
import {
  after,
  beginning,
  into,
  type Place,
  positionOf,
  stepAt,
  stepsFrom,
  waitedFor,
} from '../../../../src/automation/runs/position.ts';

const act = (id: string): Step => ({ id, type: 'add_tag', tag: 'x' });
const always = { all: [] };
const steps: Step[] = [
  act('first'),
  {
    id: 'choose',
    type: 'branch',
    branches: [
      { conditions: always, steps: [act('a1'), act('a2')] },
      { conditions: always, steps: [] },
      {
        conditions: always,
        steps: [{ id: 'inner', type: 'branch', branches: [{ conditions: always, steps: [act('deep')] }] }],
      },
    ],
    else: [act('else1')],
  },
  {
    id: 'reply',
    type: 'wait_for',
    event: 'message.new',
    timeout: { hours: 1 },
    on_event: [act('came')],
    on_timeout: [act('late')],
  },
  act('last'),
];
const idAt = (at: Place) => stepAt(steps, at)?.id;

/** The ids of the steps that a run takes, which goes into the lists that are named. */
function walk(lists: Record<string, string>): string[] {
  const ids: string[] = [];
  for (let { at } = beginning; idAt(at); ) {
    const id = idAt(at)!;
    ids.push(id);
    at = lists[id] ? into(steps, at, lists[id]) : after(steps, at);
  }
  return ids;
}

test('a run that has not begun is at the first step', () => {
  expect(positionOf({})).toEqual({ at: [0] });
  expect(positionOf({ at: [2], event_id: 'e' })).toEqual({ at: [2], event_id: 'e' });
  expect(idAt([0])).toBe('first');
});

test('of a rule without steps all is done', () => {
  expect(stepAt([], [0])).toBeUndefined();
});

test('the steps of a branch come before what follows it', () => {
  expect(walk({ choose: 'branches.0', reply: 'on_event' })).toEqual(['first', 'choose', 'a1', 'a2', 'reply', 'came', 'last']);
});

test('a branch without steps, and one that is not there, lead on', () => {
  expect(walk({ choose: 'branches.1', reply: 'on_timeout' })).toEqual(['first', 'choose', 'reply', 'late', 'last']);
  expect(into(steps, [1, 'branches.2', 0], 'else')).toEqual([2]);
});

test('the end of lists within lists leads out of all of them', () => {
  expect(walk({ choose: 'branches.2', inner: 'branches.0' })).toEqual(['first', 'choose', 'inner', 'deep', 'reply', 'last']);
  expect(into(steps, [1, 'branches.2', 0], 'branches.0')).toEqual([1, 'branches.2', 0, 'branches.0', 0]);
});

test('otherwise', () => {
  expect(walk({ choose: 'else' })).toEqual(['first', 'choose', 'else1', 'reply', 'last']);
});

test('the end is after the last step, and stays', () => {
  expect(after(steps, [3])).toEqual([4]);
  expect(stepAt(steps, [4])).toBeUndefined();
});

test('what is left of a list', () => {
  expect(stepsFrom(steps, [1, 'branches.0', 1]).map(({ id }) => id)).toEqual(['a2']);
  expect(stepsFrom(steps, [2]).map(({ id }) => id)).toEqual(['reply', 'last']);
});

test('a run waits for an event only in such a step', () => {
  const until = '2030-01-01T00:00:00.000Z';
  expect(waitedFor(steps, { at: [2], waiting: { until, awaits: true } })?.id).toBe('reply');
  expect(waitedFor(steps, { at: [2] })).toBeUndefined();
  expect(waitedFor(steps, { at: [3], waiting: { until } })).toBeUndefined();
  expect(waitedFor(steps, {})).toBeUndefined();
});
