import { describe, expect, test } from '@jest/globals';
import { isOpen, nextOpen } from '../../../../src/campaigns/schedule/open-hours.ts';
import type { Schedule } from '../../../../src/campaigns/schedule/schedule.ts';
import { endIn, startIn } from '../../../../src/campaigns/schedule/start.ts';
import { weekdays } from '../../../../src/platform/time/wall-time.ts';
import { fc, numRuns } from '../../../support/fast-check.ts';
import { twelveZones } from '../../../support/nights.ts';
import { changesOf, type WallMinute, wallMinutes } from '../../../support/wall-minutes.ts';

const anyNight = [Date.parse('2026-03-28T22:00Z'), Date.parse('2027-10-30T22:00Z')];
const nights = twelveZones.flatMap((zone) => {
  const changes = changesOf(zone, [2026, 2027]);
  return (changes.length > 0 ? changes : anyNight).map((ms) => [zone, new Date(ms).toISOString(), ms] as const);
});

test('the zones have both kinds of change, and some have none', () => {
  const changing = new Set(nights.filter(([, , ms]) => !anyNight.includes(ms)).map(([zone]) => zone));
  expect([...changing]).toEqual(expect.arrayContaining(['Australia/Lord_Howe', 'Europe/Berlin', 'Antarctica/Troll']));
  expect(changing.size).toBeLessThan(twelveZones.length);
  for (const zone of ['Europe/Berlin', 'America/New_York', 'Pacific/Chatham'])
    expect(nights.filter(([one]) => one === zone)).toHaveLength(4);
});

const minute = 60_000;
const pad = (value: number) => String(value).padStart(2, '0');
const timeOf = (minutes: number) => `${pad(Math.floor(minutes / 60))}:${pad(minutes % 60)}`;

/** Most near the hours at which clocks are changed, on steps of which some fall into a change. */
const time = fc.oneof(
  { weight: 3, arbitrary: fc.integer({ min: 0, max: 16 }).map((step) => timeOf(step * 15)) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 1439 }).map(timeOf) },
);
const quietHours = fc.option(
  fc.record({ from: time, to: time }).filter(({ from, to }) => from !== to),
  { freq: 5 },
);
const days = fc.option(fc.subarray([...weekdays], { minLength: 1 }));

describe.each(nights)('%s around %s', (zone, _at, change) => {
  const minutes = wallMinutes(zone, change);
  const shownAt = (ms: number) => minutes[Math.floor((ms - minutes[0]!.ms) / minute)]!;
  const reaches = (text: string) => minutes.find((one) => one.text >= text)!.ms;

  const near = fc.oneof(
    { weight: 3, arbitrary: fc.integer({ min: -4 * 60, max: 4 * 60 }) },
    { weight: 1, arbitrary: fc.integer({ min: -24 * 60, max: 24 * 60 }) },
  );
  const moment = fc
    .record({ minutes: near, ms: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: minute - 1 })) })
    .map(({ minutes, ms }) => change + minutes * minute + ms);
  /** Of the calendar, so also those that the clock leaves out. */
  const base = Date.parse(`${shownAt(change).text.slice(0, 10)}T02:00Z`);
  const wall = near.map((minutes) => new Date(base + minutes * minute).toISOString().slice(0, 16).replace('T', ' '));

  const local = (start: string, more: Partial<Schedule> = {}): Schedule => ({
    start_at: `${start.replace(' ', 'T')}:00`,
    timezone: 'UTC',
    is_local: true,
    quiet_hours: null,
    days: null,
    end_at: null,
    ...more,
  });
  const schedules = fc
    .record({ start: wall, end: fc.option(wall), quiet_hours: quietHours, days, is_local: fc.boolean() })
    .map(({ start, end, is_local, ...rest }): Schedule => {
      const written = (text: string) => `${text.replace(' ', 'T')}:00${is_local ? '' : 'Z'}`;
      return { ...local(start), ...rest, is_local, start_at: written(start), end_at: end && written(end) };
    });

  test('a local start is the first minute that shows it, or the one after the gap; a later one is never earlier', () => {
    fc.assert(
      fc.property(wall, wall, (one, other) => {
        const start = startIn(local(one), zone).getTime();
        expect(start).toBe(reaches(one));
        const isShown = minutes.some(({ text }) => text === one);
        expect(shownAt(start).text === one).toBe(isShown);
        if (!isShown) expect(start).toBe(change);
        const later = startIn(local(other), zone).getTime();
        expect(one <= other ? start <= later : later <= start).toBe(true);
      }),
      { numRuns: numRuns({ default: 5, deep: 100 }) },
    );
  });

  const isAllowed = ({ quiet_hours, days }: Schedule, { time, weekday }: WallMinute) => {
    if (days && !days.includes(weekday)) return false;
    if (!quiet_hours) return true;
    const { from, to } = quiet_hours;
    return from < to ? time < from || time >= to : time < from && time >= to;
  };
  const bySlowWalk = (schedule: Schedule, at: number) => {
    let index = Math.floor((at - minutes[0]!.ms) / minute);
    while (!isAllowed(schedule, minutes[index]!)) index += 1;
    const open = Math.max(at, minutes[index]!.ms);
    const { end_at, is_local } = schedule;
    if (end_at === null) return open;
    const end = is_local ? reaches(end_at.slice(0, 16).replace('T', ' ')) : Date.parse(end_at);
    return open < end ? open : undefined;
  };

  test('the next open moment is the one that a walk over all minutes finds', () => {
    fc.assert(
      fc.property(schedules, moment, (schedule, at) => {
        const open = nextOpen(schedule, zone, new Date(at))?.getTime();
        expect(open).toBe(bySlowWalk(schedule, at));
        expect(isOpen(schedule, zone, new Date(at))).toBe(open === at);
      }),
      { numRuns: numRuns({ default: 20, deep: 300 }) },
    );
  });

  test('it is never in the forbidden hours, never at the end or after it, and asked again it stays', () => {
    fc.assert(
      fc.property(schedules, moment, (schedule, at) => {
        const open = nextOpen(schedule, zone, new Date(at));
        if (!open) return;
        expect(isAllowed(schedule, shownAt(open.getTime()))).toBe(true);
        expect(open < (endIn(schedule, zone) ?? new Date(8e15))).toBe(true);
        expect(nextOpen(schedule, zone, open)).toEqual(open);
      }),
      { numRuns: numRuns({ default: 5, deep: 100 }) },
    );
  });

  test('who is asked later is not open earlier', () => {
    const ms = (date?: Date) => date?.getTime() ?? Number.POSITIVE_INFINITY;
    fc.assert(
      fc.property(schedules, moment, moment, (schedule, one, other) => {
        const [first, second] = [Math.min(one, other), Math.max(one, other)].map((at) =>
          ms(nextOpen(schedule, zone, new Date(at))),
        );
        expect(first!).toBeLessThanOrEqual(second!);
      }),
      { numRuns: numRuns({ default: 5, deep: 100 }) },
    );
  });
});
