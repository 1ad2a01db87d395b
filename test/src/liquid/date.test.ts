import { describe, expect, test } from '@jest/globals';
import { renderText } from '../../../src/liquid/value.ts';

const dateOf = (value: unknown, format: string, zone = 'Asia/Jakarta') =>
  renderText(`{{ value | date: ${format} }}`, { value }, zone);

describe('a time is shown by the clock of', () => {
  test.each([
    ['the zone of the rendering', '2026-12-30T17:30:00.000Z', '"%d %B %Y %H:%M"', '31 December 2026 00:30'],
    ['the zone that the text names', '2026-12-30T17:30:00.000Z', '"%d %B %H:%M", "UTC"', '30 December 17:30'],
    ['the zone of the rendering, where the value has an offset', '2026-12-30T23:30:00-05:00', '"%d %H:%M"', '31 11:30'],
    ['the zone of the rendering, where the value is in seconds', 1_798_651_800, '"%Y-%m-%d"', '2026-12-31'],
    ['the zone of the rendering, whose name is a part', '2026-12-30T17:30:00Z', '"%Z %z"', 'Asia/Jakarta +0700'],
    ['the zone of the rendering, where the value has no zone', '2026-12-31T00:30', '"%d %H:%M"', '31 00:30'],
    ['the zone that the text names, where the value has none', '2026-12-31 00:30:00', '"%d %H:%M", "UTC"', '30 17:30'],
  ])('%s', (_, value, format, expected) => {
    expect(dateOf(value, format)).toBe(expected);
  });

  test('the zone in summer and in winter', () => {
    expect(dateOf('2026-07-01T12:00:00Z', '"%H:%M"', 'Europe/Berlin')).toBe('14:00');
    expect(dateOf('2026-12-01T12:00:00Z', '"%H:%M"', 'Europe/Berlin')).toBe('13:00');
  });
});

test.each(['Pacific/Kiritimati', 'UTC', 'Pacific/Pago_Pago'])('a plain day is the same day in %s', (zone) => {
  expect(dateOf('2026-12-31', '"%A %d %B %Y"', zone)).toBe('Thursday 31 December 2026');
  expect(dateOf('2026-12-31', '"%d %B", "America/New_York"', zone)).toBe('31 December');
});

describe('a day that is not in the calendar fails:', () => {
  test.each(['2026-02-30', '2026-13-01', '2026-02-30T10:00:00Z', '2025-02-29 10:00'])('%s', (value) => {
    expect(() => dateOf(value, '"%d"')).toThrow('The filter date takes a day of the calendar');
  });
});

describe('ISO weeks:', () => {
  test.each([
    ['2026-12-31', '"%G-W%V"', '2026-W53'],
    ['2027-01-01', '"%G-W%V"', '2026-W53'],
    ['2027-01-04', '"%G-W%V-%u"', '2027-W01-1'],
    ['2024-12-30', '"%g/%-V"', '25/1'],
    ['2027-01-04', '"%%V is %_V"', '%V is  1'],
    ['2026-12-27T17:30:00Z', '"%V"', '53'],
  ])('%s with %s', (value, format, expected) => {
    expect(dateOf(value, format)).toBe(expected);
  });
});
