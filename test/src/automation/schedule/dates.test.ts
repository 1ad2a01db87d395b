import { describe, expect, test } from '@jest/globals';
import { clockOf, lastOf, windowOf } from '../../../../src/automation/schedule/clock.ts';
import { actingDays, type DateTrigger, datesOf, momentOn, momentsOf } from '../../../../src/automation/schedule/dates.ts';

const trigger = (more: Partial<DateTrigger> = {}): DateTrigger => ({
  type: 'date',
  kind: 'contact',
  field: 'custom_fields.born',
  ...more,
});

describe('which dates a day stands for', () => {
  test('its own, where the rule acts on the day itself', () => {
    expect(datesOf(trigger(), '2026-03-01')).toEqual(['2026-03-01']);
  });

  test('three days before the date', () => {
    expect(datesOf(trigger({ offset_days: -3 }), '2026-02-26')).toEqual(['2026-03-01']);
  });

  const born = (actingDay: string, more: Partial<DateTrigger> = {}) => datesOf(trigger({ repeat: 'yearly', ...more }), actingDay);

  test('yearly, those of this year and of 130 before', () => {
    expect(born('2026-05-17')).toHaveLength(131);
    expect(born('2026-05-17')).toEqual(expect.arrayContaining(['2026-05-17', '1990-05-17', '1896-05-17']));
    expect(born('2026-05-17')).not.toContain('2027-05-17');
  });

  test('28 February of a year without a 29th is also that of who was born on one', () => {
    expect(born('2026-02-28')).toEqual(expect.arrayContaining(['2001-02-28', '2000-02-29']));
    expect(born('2026-02-28')).not.toContain('1900-02-29');
  });

  test('29 February is that of leap years alone, whose 28th is nobody else’s', () => {
    expect(born('2028-02-29')).toEqual(expect.arrayContaining(['2000-02-29']));
    expect(born('2028-02-29')).not.toContain('2001-02-29');
    expect(born('2028-02-28')).not.toContain('2000-02-29');
  });

  test('a week before 1 January is a day of the year before', () => {
    expect(born('2026-12-25', { offset_days: -7 })).toContain('2027-01-01');
  });
});

test('without a time of day it acts at nine', () => {
  expect(momentOn(trigger(), '2026-07-01', 'Europe/Berlin').toISOString()).toBe('2026-07-01T07:00:00.000Z');
});

test('a time that the clock leaves out is the moment after the gap', () => {
  const moment = momentOn(trigger({ at: '02:30' }), '2026-03-29', 'Europe/Berlin');
  expect(moment.toISOString()).toBe('2026-03-29T01:00:00.000Z');
});

test('a day that a calendar does not have, and the next one, act at their own moments', () => {
  const window = { from: new Date('2011-12-30T09:59Z'), to: new Date('2011-12-30T19:00Z') };
  expect(actingDays(trigger(), window, 'Pacific/Apia')).toEqual(['2011-12-30', '2011-12-31']);
});

test('the moments of a date are 23 hours where the clock goes forward', () => {
  const { from, before } = momentsOf('2026-03-29', 'Europe/Berlin');
  expect(before.getTime() - from.getTime()).toBe(23 * 3_600_000);
});

describe('which clock a rule ticks by', () => {
  const zones = { timezone: 'Europe/Berlin', timezone_field: 'timezone' };

  test.each([
    ['a cron, by its zone', { type: 'schedule', cron: '0 9 * * *', timezone: 'Asia/Tokyo' }, '0 9 * * *', 'Asia/Tokyo', false],
    ['a cron, by the organization', { type: 'schedule', cron: '0 9 * * *' }, '0 9 * * *', 'Europe/Berlin', false],
    ['a date of contacts, each quarter', trigger({ at: '08:20' }), '20,35,50,5 * * * *', 'UTC', true],
    ['a date of deals, each day', trigger({ kind: 'deal', at: '08:20' }), '20 8 * * *', 'Europe/Berlin', false],
  ] as const)('%s', (_what, given, pattern, zone, isOfContacts) => {
    expect(clockOf(given, zones)).toEqual({ pattern, zone, isOfContacts });
  });

  test('an event has none', () => {
    expect(clockOf({ type: 'event', event: 'deal.created' }, zones)).toBeUndefined();
  });
});

describe('a tick that is late', () => {
  const daily = { pattern: '0 9 * * *', zone: 'UTC', isOfContacts: false };
  const quarterly = { pattern: '0,15,30,45 * * * *', zone: 'UTC', isOfContacts: true };
  const at = (text: string) => new Date(text);

  test('of days that were missed, the last is made up for', () => {
    const last = lastOf(
      daily,
      { writtenAt: at('2025-12-31T09:00:01Z'), first: at('2026-01-01T09:00Z') },
      at('2026-01-04T08:00Z'),
    )!;
    expect(last).toEqual(at('2026-01-03T09:00Z'));
    const waited = { writtenAt: at('2025-12-31T09:00:01Z'), first: at('2026-01-01T09:00Z') };
    expect(windowOf(daily, waited, last)).toEqual({ from: at('2026-01-02T09:00Z'), to: last });
  });

  test('where the zone was changed meanwhile, a moment that came earlier falls, and one that has not come does not', () => {
    const tokyo = { ...daily, zone: 'Asia/Tokyo' };
    const waited = { writtenAt: at('2026-01-01T09:00:01Z'), first: at('2026-01-02T09:00Z') };
    expect(lastOf(tokyo, waited, at('2026-01-02T09:00Z'))).toEqual(at('2026-01-02T00:00Z'));
    const york = { ...daily, zone: 'America/New_York' };
    expect(lastOf(york, { ...waited, writtenAt: at('2026-01-01T14:00:01Z') }, at('2026-01-02T09:00Z'))).toBeUndefined();
  });

  test('of quarters that were missed, all of a day', () => {
    const last = at('2026-01-04T08:00Z');
    const since = (first: string) => windowOf(quarterly, { writtenAt: at(first), first: at(first) }, last).from;
    expect(since('2026-01-01T09:00Z')).toEqual(at('2026-01-03T08:00Z'));
    expect(since('2026-01-04T07:00Z')).toEqual(at('2026-01-04T06:45Z'));
  });

  test('where contacts got clocks of their own meanwhile, all since the tick was written', () => {
    const last = at('2026-01-04T09:00Z');
    const writtenAt = at('2026-01-03T09:00:01Z');
    expect(windowOf(quarterly, { writtenAt, first: last }, last)).toEqual({ from: writtenAt, to: last });
  });
});
