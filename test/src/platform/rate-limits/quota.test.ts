import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { memoryCounter } from '../../../../src/platform/rate-limits/counter.ts';
import { createQuota, type Quota, quotaWindow } from '../../../../src/platform/rate-limits/quota.ts';

const counter = () => memoryCounter(quotaWindow);
const limitsOf = (perMinute: number): Quota => createQuota(perMinute, counter())!;

/** How many of so many requests pass. */
async function allowed(limits: Quota, key: string, asked: number): Promise<number> {
  let passed = 0;
  for (let index = 0; index < asked; index += 1) passed += (await limits.take(key)).isAllowed ? 1 : 0;
  return passed;
}

afterEach(() => void jest.useRealTimers());

test('0 is no limit', () => {
  expect(createQuota(0, counter())).toBeUndefined();
});

test('the policy names quota and window', () => {
  expect(limitsOf(6000).policy).toBe('"default";q=6000;w=60');
});

test.each([1, 2, 99, 100, 101, 150, 199, 250, 1001, 6000])('of %i a minute as many pass, and no more', async (quota) => {
  const limits = limitsOf(quota);
  expect(await allowed(limits, 'key:a', quota + 20)).toBe(quota);
});

test.each([1, 50, 101, 250])('what is left of %i counts down by one', async (quota) => {
  const limits = limitsOf(quota);
  const left: number[] = [];
  for (let index = 0; index < quota; index += 1) left.push((await limits.take('key:a')).remaining);
  expect(left).toEqual(Array.from({ length: quota }, (_, index) => quota - 1 - index));
  expect(await limits.take('key:a')).toMatchObject({ isAllowed: false, remaining: 0 });
});

test('keys do not count for each other', async () => {
  const limits = limitsOf(5);
  expect(await allowed(limits, 'key:a', 9)).toBe(5);
  expect(await allowed(limits, 'key:b', 9)).toBe(5);
  expect(await allowed(limits, 'address:a', 9)).toBe(5);
});

test('a burst at once passes as far as the quota', async () => {
  const limits = limitsOf(250);
  const answers = await Promise.all(Array.from({ length: 400 }, () => limits.take('key:a')));
  expect(answers.filter(({ isAllowed }) => isAllowed)).toHaveLength(250);
});

test('what is given back may be taken again, and no more than that', async () => {
  const limits = limitsOf(2);
  expect(await allowed(limits, 'address:a', 2)).toBe(2);
  limits.giveBack('address:a');
  expect(await allowed(limits, 'address:a', 3)).toBe(1);
  limits.giveBack('address:b');
  expect(await allowed(limits, 'address:b', 4)).toBe(2);
});

test('two quotas on one counter leave each other alone', async () => {
  const shared = counter();
  const [keys, organizations] = [createQuota(2, shared)!, createQuota(300, shared)!];
  expect(await allowed(keys, 'key:a', 5)).toBe(2);
  expect(await allowed(organizations, 'organization:a', 310)).toBe(300);
});

describe('a window', () => {
  test('ends a minute after the first request, and its seconds count down', async () => {
    jest.useFakeTimers();
    const limits = limitsOf(2);
    expect(await limits.take('key:a')).toEqual({ isAllowed: true, remaining: 1, resetSeconds: 60 });
    jest.advanceTimersByTime(20_000);
    expect(await limits.take('key:a')).toEqual({ isAllowed: true, remaining: 0, resetSeconds: 40 });
    jest.advanceTimersByTime(39_500);
    expect(await limits.take('key:a')).toEqual({ isAllowed: false, remaining: 0, resetSeconds: 1 });
    jest.advanceTimersByTime(500);
    expect(await limits.take('key:a')).toEqual({ isAllowed: true, remaining: 1, resetSeconds: 60 });
  });

  test('of another key begins with its own first request', async () => {
    jest.useFakeTimers();
    const limits = limitsOf(2);
    await limits.take('key:a');
    jest.advanceTimersByTime(30_000);
    expect((await limits.take('key:b')).resetSeconds).toBe(60);
    expect((await limits.take('key:a')).resetSeconds).toBe(30);
  });
});

test('more keys than it remembers push out the oldest, which begins anew', async () => {
  const limits = limitsOf(1);
  await limits.take('address:first');
  expect((await limits.take('address:first')).isAllowed).toBe(false);
  for (let index = 0; index < 100_000; index += 1) await limits.take(`address:${index}`);
  expect((await limits.take('address:99999')).isAllowed).toBe(false);
  expect((await limits.take('address:first')).isAllowed).toBe(true);
});
