import { expect, test } from '@jest/globals';
import { inTurns } from '../../src/turns.ts';

test('many items are done in order, and others have a turn in between', async () => {
  const done: number[] = [];
  const turns: number[] = [];
  const timer = setInterval(() => turns.push(done.length), 0);
  const endAt = (item: number) => {
    done.push(item);
    const until = performance.now() + 2;
    while (performance.now() < until);
  };
  await inTurns(
    Array.from({ length: 40 }, (_, index) => index),
    10,
    endAt,
  );
  clearInterval(timer);
  expect(done).toEqual(Array.from({ length: 40 }, (_, index) => index));
  expect(new Set(turns)).toEqual(new Set([10, 20, 30]));
});

test('as many as a turn holds are done without one', async () => {
  const done: number[] = [];
  const turn = new Promise<void>((resolve) => setImmediate(() => resolve(void done.push(-1))));
  await inTurns([1, 2, 3], 3, (item) => void done.push(item));
  await turn;
  expect(done).toEqual([1, 2, 3, -1]);
});
