import { beforeEach, expect, test } from '@jest/globals';
import { createSuspects, maxStalls, type Suspects } from '../../workers/suspects.ts';

let ms: number;
let suspects: Suspects;
beforeEach(() => {
  ms = 0;
  suspects = createSuspects(() => ms);
});

function start(deaths: number): { leave(): void } {
  const entered = suspects.enter(deaths);
  if (!('leave' in entered)) throw new Error('It was put off');
  return entered;
}
const isPutOff = (deaths: number) => 'putOffMs' in suspects.enter(deaths);

test('one begins at a time, the next at its end', () => {
  const first = start(2);
  expect(isPutOff(2)).toBe(true);
  first.leave();
  start(2);
});

test('a slow one does not hold up the others for long', () => {
  start(2);
  ms = 999;
  expect(isPutOff(2)).toBe(true);
  ms = 1_000;
  start(2);
  expect(isPutOff(2)).toBe(true);
});

test('one that met three deaths begins when no other is at work', () => {
  const slow = start(2);
  ms = 60_000;
  expect(isPutOff(3)).toBe(true);
  expect(isPutOff(4)).toBe(true);
  slow.leave();
  start(3);
});

test('and no other begins before its end, however long it takes', () => {
  const last = start(4);
  ms = 600_000;
  expect(isPutOff(2)).toBe(true);
  expect(isPutOff(4)).toBe(true);
  last.leave();
  start(2);
});

test('one that died more often, because it may have done what cannot be undone, is alone too', () => {
  start(17);
  ms = 60_000;
  expect(isPutOff(2)).toBe(true);
});

test('those that are put off come back one after the other', () => {
  start(2);
  expect([suspects.enter(2), suspects.enter(2), suspects.enter(3)]).toEqual([
    { putOffMs: 200 },
    { putOffMs: 210 },
    { putOffMs: 220 },
  ]);
  ms = 500;
  expect(suspects.enter(2)).toEqual({ putOffMs: 200 });
});

test('to leave twice ends nothing of another', () => {
  const first = start(2);
  first.leave();
  start(4);
  first.leave();
  expect(isPutOff(2)).toBe(true);
});

/** Deaths of the worker until all have ended or are given up; each may be asked for its turn at any moment. */
function play(killers: number, innocents: number, random: () => number) {
  const runs = Array.from({ length: killers + innocents }, (_, index) => ({ isKiller: index < killers, deaths: 2 }));
  const left = new Set(runs);
  let innocentsGivenUp = 0;
  while (left.size > 0) {
    const here = createSuspects(() => ms);
    const atWork: (typeof runs)[number][] = [];
    const line = [...left].sort(() => random() - 0.5);
    for (const one of line) {
      if ('leave' in here.enter(one.deaths)) atWork.push(one);
      // Slow ones: all that began are at work when the next may begin.
      ms += 500;
    }
    const hasKiller = atWork.some(({ isKiller }) => isKiller);
    for (const one of atWork) {
      if (hasKiller) one.deaths += 1;
      else left.delete(one);
      // Two of them before: it was only beside a death, or taken.
      if (one.deaths < 2 + maxStalls) continue;
      left.delete(one);
      if (!one.isKiller) innocentsGivenUp += 1;
    }
  }
  return innocentsGivenUp;
}

test.each([
  [1, 1],
  [1, 50],
  [5, 50],
])('with %d that kill their worker and %d that do not, only the former are given up', (killers, innocents) => {
  let seed = 7;
  const random = () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed / 2_147_483_647;
  };
  expect(play(killers, innocents, random)).toBe(0);
});
