import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { DELAYS_MS, nextDelayMs, parseRetryAfter, recoverDays } from '../../../src/webhooks/schedule.ts';
import { fc } from '../../support/fast-check.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const attempt = fc.integer({ min: 1, max: 9 });
const share = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const step = (tries: number): number => DELAYS_MS[tries] ?? Number.NaN;

describe('nextDelayMs', () => {
  test('without jitter it is the promised schedule: ten tries over 75.6 hours', () => {
    const delays = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((tries) => nextDelayMs(tries, { random: () => 0 }));
    expect(delays).toEqual([5_000, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR]);
    expect(delays.reduce<number>((sum, delay) => sum + (delay ?? 0), 0) / HOUR).toBeCloseTo(75.6, 1);
  });

  test('with Retry-After before each try it ends within what a recover reaches back, and the console and the runbook say so', () => {
    const waits = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((tries) =>
      nextDelayMs(tries, { retryAfterMs: Number.POSITIVE_INFINITY, random: () => 0.999_999 }),
    );
    const hours = waits.reduce<number>((sum, delay) => sum + (delay ?? Number.NaN), 0) / HOUR;
    expect(hours).toBeGreaterThan(4 * 24);
    expect(hours).toBeLessThan((recoverDays - 1) * 24);
    const page = readFileSync('api/pages/console/client/endpoint-actions.js', 'utf8');
    expect(/recoverDays = (\d+);/.exec(page)?.[1]).toBe(String(recoverDays));
    const runbook = readFileSync('docs/operations.md', 'utf8');
    expect(/webhooks recover <endpoint id> --since (\d+)d/.exec(runbook)?.[1]).toBe(String(recoverDays));
  });

  test('ends after the tenth try', () => {
    fc.assert(fc.property(fc.integer({ min: 10 }), (tries) => expect(nextDelayMs(tries)).toBeUndefined()));
  });

  test('is never early, and late by 10 % or 15 minutes at most', () => {
    fc.assert(
      fc.property(attempt, share, (tries, random) => {
        const delay = nextDelayMs(tries, { random: () => random }) ?? Number.NaN;
        expect(Number.isInteger(delay)).toBe(true);
        expect(delay).toBeGreaterThanOrEqual(step(tries));
        expect(delay).toBeLessThanOrEqual(step(tries) + Math.min(step(tries) * 0.1, 15 * MINUTE));
      }),
    );
  });

  test('Retry-After is honoured between the step and the next longer one', () => {
    fc.assert(
      fc.property(attempt, share, fc.double({ min: -1e12 }), (tries, random, retryAfterMs) => {
        const delay = nextDelayMs(tries, { retryAfterMs, random: () => random }) ?? Number.NaN;
        const longest = DELAYS_MS[tries + 1] ?? step(tries);
        expect(delay).toBeGreaterThanOrEqual(step(tries));
        if (retryAfterMs <= longest) expect(delay).toBeGreaterThanOrEqual(retryAfterMs);
        expect(delay).toBeLessThanOrEqual(longest + Math.min(longest * 0.1, 15 * MINUTE));
      }),
    );
  });

  test.each([
    [1, 1_000, 5_000],
    [1, 60_000, 60_000],
    [1, 1 * HOUR, 5 * MINUTE],
    [9, 48 * HOUR, 24 * HOUR],
    [3, Number.POSITIVE_INFINITY, 2 * HOUR],
    [3, Number.NaN, 30 * MINUTE],
  ])('after try %p with Retry-After %p ms it waits %p ms', (tries, retryAfterMs, expected) => {
    expect(nextDelayMs(tries, { retryAfterMs, random: () => 0 })).toBe(expected);
  });

  test.each([0, -1, 1.5, Number.NaN])('refuses %p tries made', (tries) => {
    expect(() => nextDelayMs(tries)).toThrow(RangeError);
  });
});

describe('parseRetryAfter', () => {
  const now = new Date(Date.UTC(2026, 0, 1, 12, 0, 0));

  test('reads any whole number of seconds', () => {
    fc.assert(fc.property(fc.nat(), (seconds) => expect(parseRetryAfter(String(seconds), now)).toBe(seconds * 1_000)));
  });

  test('reads the HTTP date it is given, and never a negative wait', () => {
    fc.assert(
      fc.property(fc.date({ min: new Date(0), max: new Date(Date.UTC(2100, 0)), noInvalidDate: true }), (date) => {
        const whole = Math.floor(date.getTime() / 1_000) * 1_000;
        expect(parseRetryAfter(date.toUTCString(), now)).toBe(Math.max(0, whole - now.getTime()));
      }),
    );
  });

  test('throws for no text whatever', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const wait = parseRetryAfter(text, now);
        expect(wait === undefined || wait >= 0).toBe(true);
      }),
    );
  });

  test.each([
    ['Thu, 01 Jan 2026 12:01:00 GMT', MINUTE],
    ['Thursday, 01-Jan-26 12:01:00 GMT', MINUTE],
    ['Thu Jan  1 12:01:00 2026', MINUTE],
    [' 120 ', 2 * MINUTE],
    ['0', 0],
    ['Wed, 31 Dec 2025 12:00:00 GMT', 0],
    ['-5', undefined],
    ['5.5', undefined],
    ['1e3', undefined],
    ['soon', undefined],
    ['Thu, 99 Xyz 2026 12:01:00 GMT', undefined],
    ['2026-01-01T12:01:00Z', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('%p is %p ms', (header, expected) => {
    expect(parseRetryAfter(header, now)).toBe(expected);
  });
});
