import { expect, test } from '@jest/globals';
import { isMoment, iso, momentMs, toMoment } from '../../../../src/platform/time/moment.ts';

test.each([
  ['2026-11-21 10:00:00+00', '2026-11-21T10:00:00.000Z'],
  ['2026-11-21 10:00:00.5+00', '2026-11-21T10:00:00.500Z'],
  ['2026-11-21 10:00:00.123456+00', '2026-11-21T10:00:00.123Z'],
  ['2026-11-21 10:00:00.123+02', '2026-11-21T08:00:00.123Z'],
  ['2026-11-21T10:00:00.123Z', '2026-11-21T10:00:00.123Z'],
])('%s, as the database or a client writes it, is shown to the millisecond in UTC', (given, shown) => {
  expect(iso(given)).toBe(shown);
});

test.each([
  ['.NET', '2026-11-21T10:00:00.1234567+02:00', '2026-11-21T10:00:00.123456+02:00'],
  ['Go', '2026-11-21T10:00:00.123456789Z', '2026-11-21T10:00:00.123456Z'],
  ['Python', '2026-11-21T10:00:00+0200', '2026-11-21T10:00:00+02:00'],
  ['a form without seconds', '2026-11-21T10:00Z', '2026-11-21T10:00:00Z'],
  ['a form without seconds and colon', '2026-11-21 10:00+0530', '2026-11-21T10:00:00+05:30'],
  ['small letters', '2026-11-21t10:00:00z', '2026-11-21T10:00:00Z'],
  ['the database', '2026-11-21 10:00:00.5+00', '2026-11-21 10:00:00.5+00'],
])('%s: %s is understood', (_what, given, moment) => {
  expect(isMoment(given)).toBe(true);
  expect(toMoment(given)).toBe(moment);
  expect(momentMs(given)).toBe(momentMs(moment));
});

test.each([
  '2026-11-21T10:00:00',
  '2026-11-21T10Z',
  '2026-02-30T10:00Z',
  '2026-11-21T10:00:00.1234567890Z',
  '2026-11-21T10:00.5Z',
  '2026-11-21T24:00Z',
  '2026-11-21T10:00+1500',
  '2026-11-21T10:00:00+020',
])('%s is no time', (given) => {
  expect(toMoment(given)).toBeUndefined();
});

test('a Date is shown alike, and what is no time is refused', () => {
  expect(iso(new Date(Date.UTC(2026, 10, 21, 10)))).toBe('2026-11-21T10:00:00.000Z');
  expect(() => iso('2026-11-21 10:00 or so, at +00')).toThrow(RangeError);
});
