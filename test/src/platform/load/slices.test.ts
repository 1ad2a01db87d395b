import { expect, test } from '@jest/globals';
import { slices } from '../../../../src/platform/load/slices.ts';

test('a long loop gives others a turn in between, once in each slice', async () => {
  const turnOfOthers = slices(5);
  let turns = 0;
  let isOver = false;
  const look = () => {
    turns += 1;
    if (!isOver) setImmediate(look);
  };
  setImmediate(look);
  const endsAt = performance.now() + 50;
  while (performance.now() < endsAt) {
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
