import { describe, expect, test } from '@jest/globals';
import { nextLookMs } from '../../../../workers/commerce/payments/check-payment.ts';

const minuteMs = 60_000;
const made = Date.parse('2027-03-01T10:00:00Z');
const session = { created_at: '2027-03-01 10:00:00+00', expires_at: '2027-03-01 11:00:00+00' };
const nextAfter = (minutes: number) => nextLookMs(session, made + minutes * minuteMs) / minuteMs + minutes;

describe('when a session is looked at though no webhook comes', () => {
  test.each([
    ['at first', 0, 2],
    ['after the first look', 2, 10],
    ['after a look that came late', 5, 10],
    ['after the second look', 10, 30],
    ['after the third look: just after its end', 30, 60 + 5 / 60],
  ])('%s', (_, now, next) => expect(nextAfter(now)).toBeCloseTo(next, 6));

  test('then every ten minutes, while the provider calls it unfinished', () => {
    expect(nextAfter(61)).toBeCloseTo(71, 6);
    expect(nextAfter(500)).toBeCloseTo(510, 6);
  });

  test('the end of a short session comes before the looks it would not live to see', () => {
    const short = { ...session, expires_at: '2027-03-01 10:04:00+00' };
    expect(nextLookMs(short, made + 2 * minuteMs)).toBe(2 * minuteMs + 5_000);
  });
});
