import { afterAll, expect, test } from '@jest/globals';
import { restingSlices, slices } from '../../../../src/platform/load/slices.ts';
import { stopClock } from '../../../support/later.ts';

const clock = stopClock();
afterAll(() => clock.goOn());

test('a long loop gives others a turn in between, once in each slice', async () => {
  const turnOfOthers = slices(5);
  let turns = 0;
  let isOver = false;
  const look = () => {
    turns += 1;
    if (!isOver) setImmediate(look);
  };
  setImmediate(look);
  for (let ms = 0; ms < 50; ms += 1) {
    clock.moveOn(1);
    const turn = turnOfOthers();
    if (turn) await turn;
  }
  isOver = true;
  expect(turns).toBeGreaterThanOrEqual(3);
  expect(turns).toBeLessThanOrEqual(20);
});

test('a short one costs no turn', () => {
  const turnOfOthers = slices(60_000);
  expect(Array.from({ length: 1_000 }, turnOfOthers)).toEqual(Array(1_000).fill(undefined));
});

test('what only waited for others a while passes together', async () => {
  let [turns, isOver] = [0, false];
  const look = () => {
    turns += 1;
    clock.moveOn(1);
    if (!isOver) setImmediate(look);
  };
  const waits = Array.from({ length: 500 }, async () => {
    const turnOfOthers = slices(0);
    await turnOfOthers();
    // More steps of it before it is over, as an await makes them.
    for (let step = 0; step < 5; step += 1) await undefined;
  });
  setImmediate(look);
  await Promise.all(waits);
  isOver = true;
  // One in each turn would take 500.
  expect(turns).toBeLessThan(50);
});

test('one that rests takes at most half of the time', async () => {
  const turnOfOthers = restingSlices();
  for (let step = 0; step < 5; step += 1) {
    clock.moveOn(2);
    expect(turnOfOthers()).toBeUndefined();
    clock.moveOn(3);
    let hasRested = false;
    // A timer of the same length that was set before it ends before it.
    setTimeout(() => {
      hasRested = true;
    }, 5);
    await turnOfOthers();
    expect(hasRested).toBe(true);
  }
});

test('of many long loops one goes on in a turn', async () => {
  let [inTurn, most, isOver] = [0, 0, false];
  const look = () => {
    most = Math.max(most, inTurn);
    inTurn = 0;
    if (!isOver) setImmediate(look);
  };
  const loops = Array.from({ length: 20 }, async () => {
    const turnOfOthers = slices(0);
    for (let step = 0; step < 5; step += 1) {
      await turnOfOthers();
      inTurn += 1;
      clock.moveOn(3);
    }
  });
  setImmediate(look);
  await Promise.all(loops);
  isOver = true;
  expect(most).toBeLessThanOrEqual(2);
});
