import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { createTimeShares } from '../../../../src/platform/load/shares.ts';
import { holdTime } from '../../../support/fake-timers.ts';

let time: ReturnType<typeof holdTime>;
let workedMs = 0;
beforeEach(() => {
  time = holdTime();
  // Work may be charged that began before the test.
  time.spend(3_600_000);
  jest.spyOn(process, 'threadCpuUsage').mockImplementation(() => ({ user: workedMs * 1_000, system: 0 }));
});
afterEach(() => {
  jest.restoreAllMocks();
  time.goOn();
});

/** Takes so long, of which the thread has the processor for `ownMs`. */
function workFor(ms: number, ownMs = ms) {
  time.spend(ms);
  workedMs += ownMs;
}

test.each([
  { process: 'an idle', isBusy: false, rest: 1 },
  { process: 'a busy', isBusy: true, rest: 9 },
])('of $process process a key owes $rest times what it has had', ({ isBusy, rest }) => {
  const shares = createTimeShares(() => isBusy);
  shares.charge('a', 500);
  // 10 ms are free.
  expect(shares.owedMs('a')).toBe(Math.min(500 * rest - 10, 5_000));
  expect(shares.owedMs('b')).toBe(0);
});

test('what is had before the rest is over is added to it', () => {
  const shares = createTimeShares(() => true);
  const times = [1, 2, 3].map(() => {
    shares.charge('a', 100);
    return shares.owedMs('a');
  });
  expect(times[1]! - times[0]!).toBe(1_000);
  expect(times[2]! - times[1]!).toBe(1_000);
});

test('no debt is longer than 5 s, and it ends', () => {
  const shares = createTimeShares(() => true);
  shares.charge('a', 3_600_000);
  expect(shares.owedMs('a')).toBe(5_000);
  time.spend(4_999);
  expect(shares.owedMs('a')).toBe(1);
  time.spend(1);
  expect(shares.owedMs('a')).toBe(0);
});

test('a piece is counted by its work, also one that throws', () => {
  const shares = createTimeShares(() => true);
  const piece = () => {
    workFor(40);
    return 'done';
  };
  expect(shares.count('a', piece)).toBe('done');
  // Nine times as long as it took, less what is free.
  expect(shares.owedMs('a')).toBe(350);
  const fault = new Error('no');
  expect(() =>
    shares.count('b', () => {
      piece();
      throw fault;
    }),
  ).toThrow(fault);
  expect(shares.owedMs('b')).toBe(350);
});

test('of a piece during which the process was stopped only the work is counted', () => {
  const shares = createTimeShares(() => true);
  shares.count('a', () => workFor(60_000, 40));
  expect(shares.owedMs('a')).toBe(350);
  shares.count('b', () => workFor(60_000, 0));
  expect(shares.owedMs('b')).toBe(0);
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
  expect(shares.owedMs('a')).toBe(1_500);
});
