import { describe, expect, test } from '@jest/globals';
import { opensAt } from '../../../../src/automation/runs/opening.ts';
import { durationMs, momentOf, waitUntil } from '../../../../src/automation/runs/wait-until.ts';
import type { BusinessHours } from '../../../../src/organizations/organization.entity.ts';
import { weekdays } from '../../../../src/platform/time/wall-time.ts';
import { fc, numRuns } from '../../../support/fast-check.ts';
import { nights } from '../../../support/nights.ts';
import { wallMinutes } from '../../../support/wall-minutes.ts';

const minute = 60_000;
const day = 24 * 60 * minute;
const pad = (value: number) => String(value).padStart(2, '0');
const timeOf = (minutes: number) => `${pad(Math.floor(minutes / 60))}:${pad(minutes % 60)}`;

/** Most near the hours at which clocks are changed. */
const minutesOfDay = fc.oneof(
  { weight: 3, arbitrary: fc.integer({ min: 0, max: 16 }).map((step) => step * 15) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 1_440 }) },
);
const range = fc
  .tuple(fc.constantFrom(...weekdays), minutesOfDay, minutesOfDay)
  .filter(([, one, other]) => one !== other)
  .map(([weekday, one, other]) => ({ day: weekday, from: timeOf(Math.min(one, other)), to: timeOf(Math.max(one, other)) }));
const openings = fc.array(range, { minLength: 1, maxLength: 8 }) as fc.Arbitrary<BusinessHours>;
/** From a change on. */
const near = fc.oneof(
  { weight: 3, arbitrary: fc.integer({ min: -240, max: 240 }) },
  { weight: 1, arbitrary: fc.integer({ min: -1_440, max: 1_440 }) },
);
const duration = fc.record({
  days: fc.integer({ min: 0, max: 3 }),
  hours: fc.integer({ min: 0, max: 30 }),
  minutes: fc.integer({ min: 0, max: 90 }),
  seconds: fc.integer({ min: 0, max: 90 }),
});

describe.each(nights)('%s around %s', (zone, _at, change) => {
  const shown = wallMinutes(zone, change);
  const shownAt = (ms: number) => Math.floor((ms - shown[0]!.ms) / minute);
  /** Of the calendar, so also those that the clock leaves out. */
  const base = Date.parse(`${shown[shownAt(change)]!.text.slice(0, 10)}T02:00Z`);
  const walls = fc.array(near, { minLength: 2, maxLength: 20 }).map((some) => {
    const times = [...new Set(some)].sort((one, other) => one - other);
    return times.map((minutes) => new Date(base + minutes * minute).toISOString().slice(0, 16));
  });

  test('a wait until a time of the wall ends when the clock first shows it or more: later times no earlier', () => {
    fc.assert(
      fc.property(walls, (texts) => {
        const found = texts.map((text) => momentOf(text, zone));
        const wanted = texts.map((text) => shown.find((one) => one.text >= text.replace('T', ' '))!.ms);
        expect(found).toEqual(wanted);
        expect(found).toEqual([...found].sort((one, other) => one - other));
      }),
      { numRuns: numRuns({ default: 3, deep: 15 }) },
    );
  });

  test('until a day: when the clock first shows it', () => {
    for (let date = base - day; date <= base + 2 * day; date += day) {
      const text = new Date(date).toISOString().slice(0, 10);
      expect([text, momentOf(text, zone)]).toEqual([text, shown.find((one) => one.text >= text)!.ms]);
    }
  });

  test('a wait of some time is that long, whatever the clock does', () => {
    fc.assert(
      fc.property(near, duration, (minutes, given) => {
        const now = change + minutes * minute;
        const { days, hours, minutes: some, seconds } = given;
        const ms = (((days * 24 + hours) * 60 + some) * 60 + seconds) * 1_000;
        expect([durationMs(given), waitUntil(undefined, given, zone, now)]).toEqual([ms, now + ms]);
      }),
      { numRuns: numRuns({ default: 3, deep: 15 }) },
    );
  });

  test('business hours: the first moment at which the clock shows an open one, and no later for who asks earlier', () => {
    const asked = fc.tuple(near, fc.integer({ min: 0, max: minute - 1 })).map(([some, ms]) => change + some * minute + ms);
    const isOpen = (hours: BusinessHours, { time, weekday }: (typeof shown)[number]) =>
      hours.some((one) => one.day === weekday && one.from <= time && time < one.to);
    fc.assert(
      fc.property(openings, asked, asked, (hours, one, other) => {
        const [earlier, later] = [Math.min(one, other), Math.max(one, other)];
        for (const at of [earlier, later]) {
          const first = shown.slice(shownAt(at)).find((each) => isOpen(hours, each))!;
          expect(opensAt(hours, zone, at)).toBe(Math.max(at, first.ms));
        }
        const opens = opensAt(hours, zone, earlier);
        expect(opensAt(hours, zone, opens)).toBe(opens);
        expect(opensAt(hours, zone, later)).toBeGreaterThanOrEqual(opens);
      }),
      { numRuns: numRuns({ default: 5, deep: 25 }) },
    );
  });
});
