import { expect, test } from '@jest/globals';
import { momentOfDay } from '../../../../src/platform/time/day-edge.ts';

test.each([
  ['Asia/Jakarta', '2026-12-31', '2026-12-30T17:00:00.000Z', '2026-12-31T16:59:59.999Z'],
  ['UTC', '2026-12-31', '2026-12-31T00:00:00.000Z', '2026-12-31T23:59:59.999Z'],
  ['Pacific/Pago_Pago', '2026-12-31', '2026-12-31T11:00:00.000Z', '2027-01-01T10:59:59.999Z'],
  // 23 hours, and 25.
  ['Europe/Berlin', '2026-03-29', '2026-03-28T23:00:00.000Z', '2026-03-29T21:59:59.999Z'],
  ['Europe/Berlin', '2026-10-25', '2026-10-24T22:00:00.000Z', '2026-10-25T22:59:59.999Z'],
  // Its midnight is left out.
  ['America/Santiago', '2026-09-06', '2026-09-06T04:00:00.000Z', '2026-09-07T02:59:59.999Z'],
])('in %s the day %s begins and ends by the clock there', (zone, day, start, end) => {
  expect(momentOfDay(day, zone, 'start')).toBe(start);
  expect(momentOfDay(day, zone, 'end')).toBe(end);
});

test('a day that the zone takes out of the years that a time can have stands for no moment', () => {
  expect(momentOfDay('1000-01-01', 'Asia/Tokyo', 'start')).toBeUndefined();
  expect(momentOfDay('9999-12-31', 'America/New_York', 'end')).toBeUndefined();
});
