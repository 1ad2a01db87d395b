import { expect, test } from '@jest/globals';
import { slices } from '../../../../src/platform/load/slices.ts';
import { stopClock } from '../../../support/later.ts';

test('a long loop gives others a turn in between, once in each slice', async () => {
  const clock = stopClock();
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
  clock.goOn();
  expect(turns).toBeGreaterThanOrEqual(3);
  expect(turns).toBeLessThanOrEqual(20);
});

test('a short one costs no turn', () => {
  const turnOfOthers = slices(60_000);
  expect(Array.from({ length: 1_000 }, turnOfOthers)).toEqual(Array(1_000).fill(undefined));
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
    }
  });
  setImmediate(look);
  await Promise.all(loops);
  isOver = true;
  expect(most).toBeLessThanOrEqual(2);
});
