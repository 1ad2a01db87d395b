import { expect, test } from '@jest/globals';
import { createTimeShares, type TimeShares } from '../../../../src/platform/load/time-shares.ts';

const workedMs = () => process.threadCpuUsage().user / 1_000;

/** Works for so long, in ms of this thread's time, without letting others in. */
function workFor(ms: number) {
  for (const endsAt = workedMs() + ms; workedMs() < endsAt; ) Math.sqrt(endsAt);
}

const pieceMs = 4;

/** So many jobs of a key at once, each of some pieces. What they worked but for the last piece, and how long it took, in ms. */
async function jobs(shares: TimeShares, key: string, { atOnce, pieces }: { atOnce: number; pieces: number }) {
  let [sumMs, lastMs] = [0, 0];
  const beganAt = performance.now();
  const piece = () => {
    const from = workedMs();
    workFor(pieceMs);
    lastMs = workedMs() - from;
    sumMs += lastMs;
  };
  const job = async () => {
    for (let number = 0; number < pieces; number += 1) await shares.work(key, piece);
  };
  await Promise.all(Array.from({ length: atOnce }, job));
  return { sumMs, paidMs: sumMs - lastMs, tookMs: performance.now() - beganAt };
}

test.each([
  { process: 'an idle', isBusy: false, times: 2 },
  { process: 'a busy', isBusy: true, times: 10 },
])('all jobs of a key together take one part in $times of $process process', async ({ isBusy, times }) => {
  const shares = createTimeShares(() => isBusy);
  const { sumMs, paidMs, tookMs } = await jobs(shares, 'a', { atOnce: 10, pieces: 3 });
  expect(sumMs).toBeGreaterThanOrEqual(30 * pieceMs);
  // Nobody rests behind the last piece; 10 ms are free, and a timer may be a millisecond early.
  expect(tookMs).toBeGreaterThan(paidMs * times - 15);
});

test('another key does not wait for it', async () => {
  const shares = createTimeShares(() => true);
  const order: string[] = [];
  const first = jobs(shares, 'a', { atOnce: 1, pieces: 5 }).then(() => order.push('a'));
  const second = jobs(shares, 'b', { atOnce: 1, pieces: 1 }).then(() => order.push('b'));
  await Promise.all([first, second]);
  expect(order).toEqual(['b', 'a']);
});

test('pieces that cost little are free, however many there are', async () => {
  const shares = createTimeShares(() => true);
  let [pieces, isResting] = [0, true];
  const piece = () => {
    pieces += 1;
  };
  for (let number = 0; number < 10_000; number += 1) await shares.work('a', piece);
  void shares.rest('a').then(() => {
    isResting = false;
  });
  await Promise.resolve();
  await Promise.resolve();
  expect({ pieces, isResting }).toEqual({ pieces: 10_000, isResting: false });
});

test('a piece that throws is paid for, too', async () => {
  const shares = createTimeShares(() => true);
  const fault = new Error('no');
  const throws = () => {
    workFor(20);
    throw fault;
  };
  await expect(shares.work('a', throws)).rejects.toBe(fault);
  const from = performance.now();
  expect(await shares.work('a', () => 'next')).toBe('next');
  // 20 ms and nine times as much, less what is free; a timer may be a millisecond early.
  expect(performance.now() - from).toBeGreaterThan(150);
});

test('what is counted rests when it is asked to', async () => {
  const shares = createTimeShares(() => true);
  const from = performance.now();
  shares.count('a', () => workFor(10));
  shares.count('a', () => workFor(10));
  await shares.rest('a');
  expect(performance.now() - from).toBeGreaterThan(150);
});
