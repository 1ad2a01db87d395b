import { describe, expect, test } from '@jest/globals';
import { dueIn, isOpen, nextOpen } from '../../../../src/campaigns/schedule/open-hours.ts';
import type { Schedule } from '../../../../src/campaigns/schedule/schedule.ts';
import { earliestStart, endIn, isLate, latestEnd, startIn } from '../../../../src/campaigns/schedule/start.ts';
import { zoneOf } from '../../../../src/platform/time/zone-of.ts';

const local = (start_at: string, more: Partial<Schedule> = {}): Schedule => ({
  start_at,
  timezone: 'Europe/Berlin',
  is_local: true,
  quiet_hours: null,
  days: null,
  end_at: null,
  ...more,
});
const once = (start_at: string, more: Partial<Schedule> = {}) => local(start_at, { is_local: false, ...more });
const open = (schedule: Schedule, zone: string, at: string) => nextOpen(schedule, zone, new Date(at))?.toISOString();

describe('the start', () => {
  test.each([
    ['2026-12-01T09:00:00', 'Europe/Berlin', '2026-12-01T08:00:00.000Z'],
    ['2026-12-01T09:00', 'Asia/Kathmandu', '2026-12-01T03:15:00.000Z'],
    ['2026-03-29T02:30:00', 'Europe/Berlin', '2026-03-29T01:00:00.000Z'],
    ['2026-10-25T02:30:00', 'Europe/Berlin', '2026-10-25T00:30:00.000Z'],
    ['2026-10-25T03:00:00', 'Europe/Berlin', '2026-10-25T02:00:00.000Z'],
    ['2026-10-04T02:10:00', 'Australia/Lord_Howe', '2026-10-03T15:30:00.000Z'],
    ['2026-04-05T01:45:00', 'Australia/Lord_Howe', '2026-04-04T14:45:00.000Z'],
    ['2026-03-29T02:59:59', 'Antarctica/Troll', '2026-03-29T01:00:00.000Z'],
    ['2011-12-30T09:00:00', 'Pacific/Apia', '2011-12-30T10:00:00.000Z'],
  ])('%s in %s is %s', (start_at, zone, expected) => {
    expect(startIn(local(start_at), zone).toISOString()).toBe(expected);
  });

  test('is one moment for all where it is not local', () => {
    const schedule = once('2026-12-01T09:00:00+01:00', { end_at: '2026-12-02T00:00:00Z' });
    for (const zone of ['Europe/Berlin', 'Pacific/Apia']) {
      expect(startIn(schedule, zone)).toEqual(new Date('2026-12-01T08:00:00Z'));
      expect(endIn(schedule, zone)).toEqual(new Date('2026-12-02T00:00:00Z'));
    }
    expect([earliestStart(schedule), latestEnd(schedule)]).toEqual([
      new Date('2026-12-01T08:00Z'),
      new Date('2026-12-02T00:00Z'),
    ]);
  });

  test('no zone is due before the earliest one, none goes on after the latest end', () => {
    const schedule = local('2026-12-01T09:00:00', { end_at: '2026-12-01T10:00:00' });
    const zones = [...Intl.supportedValuesOf('timeZone'), 'Etc/GMT+12', 'Etc/GMT-14'];
    const starts = zones.map((zone) => startIn(schedule, zone).getTime());
    const ends = zones.map((zone) => endIn(schedule, zone)!.getTime());
    expect(Math.min(...starts)).toBe(earliestStart(schedule).getTime());
    expect(Math.max(...ends)).toBe(latestEnd(schedule)!.getTime());
  });

  test('is late once the grace is over, and not at its last moment', () => {
    const hour = 3_600_000;
    expect(isLate(once('2026-12-01T09:00:00Z'), new Date('2026-12-01T10:00:00Z'), hour)).toBe(false);
    expect(isLate(once('2026-12-01T09:00:00Z'), new Date('2026-12-01T10:00:00.001Z'), hour)).toBe(true);
    expect(isLate(local('2026-12-01T09:00:00'), new Date('2026-12-01T09:00:00Z'), hour)).toBe(false);
    expect(isLate(local('2026-12-01T09:00:00'), new Date('2026-12-01T09:00:00.001Z'), hour)).toBe(true);
    expect(isLate(local('2026-12-01T09:00:00'), new Date('2026-12-01T09:30:00Z'), hour, 'Asia/Tokyo')).toBe(true);
  });
});

describe('quiet hours and weekdays', () => {
  const night = { quiet_hours: { from: '22:00', to: '08:00' } };
  const start = '2026-01-01T00:00:00';

  test.each([
    ['before midnight', '2026-12-01T22:00:00Z', '2026-12-02T08:00:00.000Z'],
    ['after midnight', '2026-12-02T07:59:59.999Z', '2026-12-02T08:00:00.000Z'],
    ['at their end', '2026-12-02T08:00:00Z', '2026-12-02T08:00:00.000Z'],
    ['just before they begin', '2026-12-02T21:59:59.999Z', '2026-12-02T21:59:59.999Z'],
  ])('that pass midnight: %s', (_when, at, expected) => {
    expect(open(local(start, night), 'UTC', at)).toBe(expected);
  });

  test('that end at midnight, or begin there', () => {
    expect(open(local(start, { quiet_hours: { from: '18:00', to: '00:00' } }), 'UTC', '2026-12-01T18:00Z')).toBe(
      '2026-12-02T00:00:00.000Z',
    );
    expect(open(local(start, { quiet_hours: { from: '00:00', to: '06:00' } }), 'UTC', '2026-12-01T00:00Z')).toBe(
      '2026-12-01T06:00:00.000Z',
    );
  });

  test('a time that is left out ends them at the change', () => {
    const schedule = local(start, { quiet_hours: { from: '23:00', to: '02:30' } });
    expect(open(schedule, 'Europe/Berlin', '2026-03-28T23:00Z')).toBe('2026-03-29T01:00:00.000Z');
  });

  test('an hour that comes twice is quiet both times', () => {
    const schedule = local(start, { quiet_hours: { from: '02:00', to: '02:30' } });
    expect(open(schedule, 'Europe/Berlin', '2026-10-25T00:00Z')).toBe('2026-10-25T00:30:00.000Z');
    expect(open(schedule, 'Europe/Berlin', '2026-10-25T01:00Z')).toBe('2026-10-25T01:30:00.000Z');
  });

  test('a weekday is that of the zone', () => {
    const schedule = local(start, { days: ['monday'] });
    // Monday begins in Auckland on Sunday at 11:00 UTC.
    expect(open(schedule, 'Pacific/Auckland', '2026-12-01T00:00Z')).toBe('2026-12-06T11:00:00.000Z');
    expect(open(schedule, 'Pacific/Honolulu', '2026-12-01T09:59Z')).toBe('2026-12-01T09:59:00.000Z');
    expect(open(schedule, 'Pacific/Honolulu', '2026-12-01T10:00Z')).toBe('2026-12-07T10:00:00.000Z');
  });

  test('on the one day of the week after its last open hour it is the next week', () => {
    const schedule = local(start, { days: ['monday'], ...night });
    expect(open(schedule, 'UTC', '2026-12-07T22:30Z')).toBe('2026-12-14T08:00:00.000Z');
  });

  test('the end is not open, and what would open later never does', () => {
    const schedule = local(start, { ...night, end_at: '2026-12-02T08:00:00' });
    expect(open(schedule, 'UTC', '2026-12-01T21:00Z')).toBe('2026-12-01T21:00:00.000Z');
    expect(open(schedule, 'UTC', '2026-12-01T22:00Z')).toBeUndefined();
    expect(isOpen(schedule, 'UTC', new Date('2026-12-02T08:00Z'))).toBe(false);
    expect(open({ ...schedule, end_at: '2026-12-02T08:00:01' }, 'UTC', '2026-12-01T22:00Z')).toBe('2026-12-02T08:00:00.000Z');
  });

  test('what is never open is undefined and does not go round for ever', () => {
    expect(open(local(start, { quiet_hours: { from: '08:00', to: '08:00' } }), 'UTC', '2026-12-01T00:00Z')).toBeUndefined();
    expect(open(local(start, { days: [] }), 'Europe/Berlin', '2026-12-01T00:00Z')).toBeUndefined();
  });

  test('a recipient is due at the start, or now where that is past, or when the quiet hours end', () => {
    const schedule = local('2026-12-01T09:00:00', night);
    const due = (now: string) => dueIn(schedule, 'Asia/Tokyo', new Date(now))?.toISOString();
    expect(due('2026-11-01T00:00Z')).toBe('2026-12-01T00:00:00.000Z');
    expect(due('2026-12-01T10:00Z')).toBe('2026-12-01T10:00:00.000Z');
    expect(due('2026-12-01T13:00Z')).toBe('2026-12-01T23:00:00.000Z');
  });
});

describe('the zone of a contact', () => {
  test.each([
    ['Europe/Berlin', 'Europe/Berlin'],
    ['europe/BERLIN', 'Europe/Berlin'],
    [' Asia/Kolkata ', 'Asia/Kolkata'],
    ['utc', 'UTC'],
    ['america/argentina/buenos_aires', 'America/Argentina/Buenos_Aires'],
  ])('%j is %s, asked again too', (value, zone) => {
    expect([zoneOf(value, 'Asia/Tokyo'), zoneOf(value, 'Asia/Tokyo')]).toEqual([zone, zone]);
  });

  test.each([
    ['Mars/Base'],
    ['+01:00'],
    [''],
    [' '],
    [null],
    [undefined],
    [7],
    [['UTC']],
    [{ zone: 'UTC' }],
    ['__proto__'],
    ['a'.repeat(1_000_000)],
  ])('%j is none', (value) => {
    expect([zoneOf(value, 'Asia/Tokyo'), zoneOf(value, 'UTC')]).toEqual(['Asia/Tokyo', 'UTC']);
  });

  test('thousands of texts that are no zones do not change what zones are', () => {
    for (let index = 0; index < 3_000; index += 1) expect(zoneOf(`Mars/Base_${index}`, 'UTC')).toBe('UTC');
    expect(zoneOf('europe/berlin', 'UTC')).toBe('Europe/Berlin');
  });
});
