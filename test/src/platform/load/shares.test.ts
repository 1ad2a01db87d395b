import { expect, test } from '@jest/globals';
import { createShares } from '../../../../src/platform/load/shares.ts';
import { holdTime } from '../../../support/fake-timers.ts';
import { waitFor } from '../../../support/wait-for.ts';

const options = { perKey: 2, maxWaiting: 1, waitMs: 50, refusal: 'Too many at once' };
const refusal = { code: 'unavailable', message: 'Too many at once', retryAfterSeconds: 1 };

test('a free place is given at once, without a promise', () => {
  const shares = createShares(options);
  expect(typeof shares.take('one')).toBe('function');
  expect(shares.held('one')).toBe(1);
});

test('who would not wait gets a place or none', () => {
  const shares = createShares(options);
  const [first, second] = [shares.tryTake('one'), shares.tryTake('one')];
  expect([typeof first, typeof second, shares.tryTake('one')]).toEqual(['function', 'function', undefined]);
  second?.();
  expect(typeof shares.tryTake('one')).toBe('function');
});

test('a key waits for its own places only', async () => {
  const shares = createShares(options);
  const first = await shares.take('one');
  await shares.take('one');
  const third = shares.take('one');
  expect(third).toBeInstanceOf(Promise);
  expect(typeof shares.take('other')).toBe('function');
  first();
  await third;
  expect(shares.held('one')).toBe(2);
});

test('more than may wait are refused at once', async () => {
  const shares = createShares(options);
  await shares.take('one');
  await shares.take('one');
  const third = shares.take('one');
  expect(() => shares.take('one')).toThrow(expect.objectContaining(refusal));
  await expect(third).rejects.toMatchObject(refusal);
});

test('whoever waited too long leaves the line', async () => {
  const shares = createShares(options);
  const first = await shares.take('one');
  await shares.take('one');
  await expect(shares.take('one')).rejects.toMatchObject(refusal);
  first();
  expect(shares.held('one')).toBe(1);
});

test('a place is given back once, and also after a fault', async () => {
  const shares = createShares(options);
  const release = await shares.take('one');
  await shares.take('one');
  release();
  release();
  expect(shares.held('one')).toBe(1);
  await expect(shares.use('one', () => Promise.reject(new Error('a fault')))).rejects.toThrow('a fault');
  expect(shares.held('one')).toBe(1);
});

test('a key that holds nothing is forgotten', async () => {
  const shares = createShares(options);
  await shares.use('one', async () => undefined);
  expect(shares.held('one')).toBe(0);
});

test('closed, it refuses all who wait', async () => {
  const shares = createShares({ ...options, maxWaiting: 5, waitMs: 60_000 });
  await shares.take('one');
  await shares.take('one');
  const waiting = [shares.take('one'), shares.take('one')];
  expect(shares.waiting('one')).toBe(2);
  shares.close();
  for (const one of waiting) await expect(one).rejects.toMatchObject(refusal);
  expect(shares.waiting('one')).toBe(0);
});

test('a place that was used stays taken as long as its rest says', async () => {
  const shares = createShares({ ...options, perKey: 1, waitMs: 5_000, restMs: (tookMs) => 2 * tookMs });
  const time = holdTime();
  await shares.use('one', async () => time.spend(30));
  expect(shares.held('one')).toBe(1);
  const next = shares.use('one', async () => 'next');
  await time.pass(59);
  expect(shares.waiting('one')).toBe(1);
  await time.pass(1);
  expect(await next).toBe('next');
  time.goOn();
});

test('places that become fewer are not given on; when they are more, those who wait get them one after the other', async () => {
  let perKey = 3;
  const shares = createShares({ ...options, perKey: () => perKey, maxWaiting: 3, waitMs: 60_000 });
  const releases = [shares.tryTake('one')!, shares.tryTake('one')!, shares.tryTake('one')!];
  const given: number[] = [];
  for (const name of [1, 2, 3]) void Promise.resolve(shares.take('one')).then(() => given.push(name));
  perKey = 1;
  releases[0]!();
  releases[1]!();
  await new Promise(setImmediate);
  expect([shares.held('one'), given]).toEqual([1, []]);
  // One is always given on: nobody else would.
  perKey = 0;
  releases[2]!();
  await new Promise(setImmediate);
  expect([shares.held('one'), given]).toEqual([1, [1]]);
  // Whoever comes does not pass those who wait.
  perKey = 2;
  expect(shares.tryTake('one')).toBeUndefined();
  await waitFor('the next', () => given.length === 2);
  expect(given).toEqual([1, 2]);
  perKey = 9;
  await waitFor('the last', () => given.length === 3);
  expect([shares.held('one'), shares.waiting('one')]).toEqual([3, 0]);
});
