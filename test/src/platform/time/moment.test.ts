import { expect, test } from '@jest/globals';
import { iso } from '../../../../src/platform/time/moment.ts';

test.each([
  ['2026-11-21 10:00:00+00', '2026-11-21T10:00:00.000Z'],
  ['2026-11-21 10:00:00.5+00', '2026-11-21T10:00:00.500Z'],
  ['2026-11-21 10:00:00.123456+00', '2026-11-21T10:00:00.123Z'],
  ['2026-11-21 10:00:00.123+02', '2026-11-21T08:00:00.123Z'],
  ['2026-11-21T10:00:00.123Z', '2026-11-21T10:00:00.123Z'],
])('%s, as the database or a client writes it, is shown to the millisecond in UTC', (given, shown) => {
  expect(iso(given)).toBe(shown);
});

test('a Date is shown alike, and what is no time is refused', () => {
  expect(iso(new Date(Date.UTC(2026, 10, 21, 10)))).toBe('2026-11-21T10:00:00.000Z');
  expect(() => iso('2026-11-21 10:00 or so, at +00')).toThrow(RangeError);
});
