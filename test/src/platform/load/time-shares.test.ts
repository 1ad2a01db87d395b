import { expect, test } from '@jest/globals';
import { createTimeShares } from '../../../../src/platform/load/shares.ts';

const processorMs = () => process.threadCpuUsage().user / 1_000;

/** Works for so long, in ms of this thread's time, without letting others in. */
function workFor(ms: number) {
  for (const endsAt = processorMs() + ms; processorMs() < endsAt; ) Math.sqrt(endsAt);
}

test.each([
  { process: 'an idle', isBusy: false, rest: 1 },
  { process: 'a busy', isBusy: true, rest: 9 },
])('of $process process a key owes $rest times what it has had', ({ isBusy, rest }) => {
  const shares = createTimeShares(() => isBusy);
  shares.charge('a', 500);
  // 10 ms are free, and time goes on.
  expect(shares.owedMs('a')).toBeLessThanOrEqual(500 * rest - 10);
  expect(shares.owedMs('a')).toBeGreaterThan(500 * (rest - 1));
  expect(shares.owedMs('b')).toBe(0);
});

test('what is had before the rest is over is added to it', () => {
  const shares = createTimeShares(() => true);
  const times = [1, 2, 3].map(() => {
    shares.charge('a', 100);
    return shares.owedMs('a');
  });
  expect(times[1]! - times[0]!).toBeGreaterThan(500);
  expect(times[2]! - times[1]!).toBeGreaterThan(500);
});

test('no debt is longer than 5 s, and it ends', async () => {
  const shares = createTimeShares(() => true);
  shares.charge('a', 3_600_000);
  expect(shares.owedMs('a')).toBeLessThanOrEqual(5_000);
  expect(shares.owedMs('a')).toBeGreaterThan(4_000);
  shares.charge('b', 2);
  // For ever, it would not end.
  while (shares.owedMs('b') > 0) await new Promise((resolve) => setTimeout(resolve, 5));
});

test('a piece is counted by its work, also one that throws', () => {
  const shares = createTimeShares(() => true);
  const piece = () => {
    workFor(40);
    return 'done';
  };
  expect(shares.count('a', piece)).toBe('done');
  // The processor's time is known to some ms.
  expect(shares.owedMs('a')).toBeGreaterThan(100);
  const fault = new Error('no');
  expect(() =>
    shares.count('b', () => {
      piece();
      throw fault;
    }),
  ).toThrow(fault);
  expect(shares.owedMs('b')).toBeGreaterThan(100);
});

test('pieces that cost little are free, however many there are', () => {
  const shares = createTimeShares(() => true);
  for (let number = 0; number < 10_000; number += 1) shares.charge('a', 0.5);
  expect(shares.owedMs('a')).toBe(0);
});

test('a price of its own: so much at once without a rest, and more afterwards', () => {
  const shares = createTimeShares(() => false, { rest: { idle: 3, busy: 3 }, freeMs: 8_000 });
  for (let time = 0; time < 4; time += 1) shares.charge('a', 500);
  expect(shares.owedMs('a')).toBe(0);
  shares.charge('a', 500);
  // Five times half a second, and three times as long a rest, less what is free.
  expect(shares.owedMs('a')).toBeLessThanOrEqual(2_000);
  expect(shares.owedMs('a')).toBeGreaterThan(1_000);
});
