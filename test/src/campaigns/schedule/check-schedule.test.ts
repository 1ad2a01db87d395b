import { expect, test } from '@jest/globals';
import { checkSchedule } from '../../../../src/campaigns/schedule/check-schedule.ts';
import type { Schedule } from '../../../../src/campaigns/schedule/schedule.ts';

const now = new Date('2026-11-30T12:00:00Z');
const good: Schedule = {
  start_at: '2026-12-01T09:00:00',
  timezone: 'Europe/Berlin',
  is_local: true,
  quiet_hours: { from: '22:00', to: '08:00' },
  days: ['monday', 'tuesday', 'sunday'],
  end_at: '2026-12-02T09:00:00',
};
const once = { is_local: false, start_at: '2026-12-01T09:00:00+01:00', end_at: null };

test.each<[string, Partial<Schedule>]>([
  ['local', {}],
  ['without seconds', { start_at: '2026-12-01T09:00' }],
  ['one moment for all', once],
  ['with neither end, quiet hours nor days', { end_at: null, quiet_hours: null, days: null }],
  ['a start that is past', { start_at: '2020-02-29T09:00:00' }],
  ['a start at the anniversary', { ...once, start_at: '2027-11-30T12:00:00Z' }],
  ['an end that is past in some zones', { start_at: '2026-11-30T01:00:00', end_at: '2026-11-30T08:00:00', quiet_hours: null }],
  ['an end that a night leaves some minutes', { start_at: '2026-12-01T22:00', end_at: '2026-12-02T08:01', days: null }],
  [
    'hours that are open in some zone alone',
    {
      ...once,
      start_at: '2026-12-01T09:00:00Z',
      end_at: '2026-12-01T10:00:00Z',
      quiet_hours: { from: '08:00', to: '20:00' },
      days: null,
    },
  ],
  ['an end in another offset', { ...once, end_at: '2026-12-01T10:00:00+01:30' }],
])('a good one: %s', (_what, change) => {
  expect(checkSchedule({ ...good, ...change }, now)).toEqual([]);
});

test.each<[string, Partial<Schedule>, string, string]>([
  ['a zone that is none', { timezone: 'Mars/Base' }, 'timezone', 'timezone.unknown'],
  ['an offset as zone', { timezone: '+01:00' }, 'timezone', 'timezone.unknown'],
  ['an end before the start', { end_at: '2026-12-01T08:59:59' }, 'end_at', 'schedule.order'],
  ['an end at the start', { end_at: '2026-12-01T09:00:00' }, 'end_at', 'schedule.order'],
  ['an end before the start by its offset', { ...once, end_at: '2026-12-01T09:30:00+02:00' }, 'end_at', 'schedule.order'],
  [
    'an end that is past',
    { ...once, start_at: '2026-11-01T00:00:00Z', end_at: '2026-11-30T12:00:00Z' },
    'end_at',
    'schedule.over',
  ],
  [
    'a night that is quiet as a whole',
    { start_at: '2026-12-01T22:00', end_at: '2026-12-02T08:00', days: null },
    'end_at',
    'schedule.closed',
  ],
  ['none of its days', { start_at: '2026-12-02T09:00', end_at: '2026-12-04T18:00' }, 'end_at', 'schedule.closed'],
  ['none of its days in any zone', { ...once, days: ['sunday'], end_at: '2026-12-03T09:00:00Z' }, 'end_at', 'schedule.closed'],
  ['an end past in each zone', { start_at: '2026-11-01T00:00:00', end_at: '2026-11-30T00:00:00' }, 'end_at', 'schedule.over'],
  ['a start two years ahead', { start_at: '2028-11-30T12:00:00', end_at: null }, 'start_at', 'schedule.far'],
  ['a start a year and two days ahead', { ...once, start_at: '2027-12-02T12:00:00Z' }, 'start_at', 'schedule.far'],
  ['an offset where it is local', { start_at: '2026-12-01T09:00:00+01:00' }, 'start_at', 'string.isoDate'],
  ['no offset where it is not', { ...once, start_at: '2026-12-01T09:00:00' }, 'start_at', 'string.isoDate'],
  ['30 February', { start_at: '2027-02-30T09:00:00', end_at: null }, 'start_at', 'string.isoDate'],
  ['an hour that is none', { start_at: '2026-12-01T24:00:00' }, 'start_at', 'string.isoDate'],
  ['an end that is no time', { end_at: 'soon' }, 'end_at', 'string.isoDate'],
  ['quiet hours of 24 h', { quiet_hours: { from: '08:00', to: '08:00' } }, 'quiet_hours.to', 'hours.empty'],
  ['quiet hours until 24:00', { quiet_hours: { from: '08:00', to: '24:00' } }, 'quiet_hours.to', 'string.pattern.name'],
  ['quiet hours from 8:00', { quiet_hours: { from: '8:00', to: '09:00' } }, 'quiet_hours.from', 'string.pattern.name'],
  ['no day', { days: [] }, 'days', 'array.min'],
  ['a day that is none', { days: ['monday', 'Funday' as 'friday'] }, 'days[1]', 'any.only'],
])('%s is refused', (_what, change, name, code) => {
  const faults = checkSchedule({ ...good, ...change }, now);
  expect(faults).toEqual([{ path: `schedule.${name}`, code, message: expect.stringContaining(`schedule.${name} must`) }]);
});

test('all faults are named at once', () => {
  const faults = checkSchedule({ ...good, timezone: 'Mars/Base', days: [], start_at: 'x', end_at: 'y' }, now);
  expect(faults.map(({ path }) => path)).toEqual(['start_at', 'end_at', 'timezone', 'days'].map((name) => `schedule.${name}`));
});
