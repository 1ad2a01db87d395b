import { expect, test } from '@jest/globals';
import { inTurns } from '../../src/turns.ts';

test('many items are done in order, and others have a turn in between', async () => {
  const done: number[] = [];
  const turns: number[] = [];
  let isOver = false;
  const look = () => {
    turns.push(done.length);
    if (!isOver) setImmediate(look);
  };
  setImmediate(look);
  await inTurns(
    Array.from({ length: 40 }, (_, index) => index),
    10,
    (item) => done.push(item),
  );
  isOver = true;
  expect(done).toEqual(Array.from({ length: 40 }, (_, index) => index));
  expect(turns).toEqual(expect.arrayContaining([10, 20, 30]));
});

test('as many as a turn holds are done without one', async () => {
  const done: number[] = [];
  const turn = new Promise<void>((resolve) => setImmediate(() => resolve(void done.push(-1))));
  await inTurns([1, 2, 3], 3, (item) => void done.push(item));
  await turn;
  expect(done).toEqual([1, 2, 3, -1]);
});
