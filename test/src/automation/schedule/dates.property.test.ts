import { describe, expect, test } from '@jest/globals';
import { clockOf, nextOf, windowOf } from '../../../../src/automation/schedule/clock.ts';
import {
  actingDays,
  actingDaysAnywhere,
  type DateTrigger,
  datesOf,
  momentOn,
  type Window,
} from '../../../../src/automation/schedule/dates.ts';
import { fc, numRuns } from '../../../support/fast-check.ts';
import { nights, twelveZones } from '../../../support/nights.ts';
import { wallMinutes } from '../../../support/wall-minutes.ts';

const day = 24 * 60 * 60_000;
const pad = (value: number) => String(value).padStart(2, '0');
const time = fc.oneof(
  { weight: 3, arbitrary: fc.integer({ min: 0, max: 16 }).map((step) => `${pad(Math.floor(step / 4))}:${pad((step % 4) * 15)}`) },
  {
    weight: 1,
    arbitrary: fc.integer({ min: 0, max: 1439 }).map((minute) => `${pad(Math.floor(minute / 60))}:${pad(minute % 60)}`),
  },
);
const triggers = fc.record({
  at: time,
  offset_days: fc.integer({ min: -400, max: 400 }),
  repeat: fc.constantFrom('once' as const, 'yearly' as const),
});
type Drawn = typeof triggers extends fc.Arbitrary<infer Value> ? Value : never;
const triggerOf = (drawn: Drawn, kind: string): DateTrigger => ({ type: 'date', kind, field: 'custom_fields.since', ...drawn });

type Fallen = { actingDay: string; zone: string; moment: number; tick: number };

/** All ticks between two moments, and on which days they find that the rule acts, for a date in each zone. */
function walk(trigger: DateTrigger, zone: string, zones: string[], from: number, until: number): Fallen[] {
  const clock = clockOf(trigger, { timezone: zone, timezone_field: trigger.kind === 'contact' ? 'timezone' : null })!;
  const fallen: Fallen[] = [];
  for (let tick = nextOf(clock, new Date(from)); tick && tick.getTime() <= until; tick = nextOf(clock, tick)) {
    const window: Window = windowOf(clock, { writtenAt: tick, first: tick }, tick);
    const days = clock.isOfContacts ? actingDaysAnywhere(trigger, window) : actingDays(trigger, window, zone);
    for (const one of clock.isOfContacts ? zones : [zone])
      for (const actingDay of days) {
        const moment = momentOn(trigger, actingDay, one);
        if (moment > window.from && moment <= window.to)
          fallen.push({ actingDay, zone: one, moment: moment.getTime(), tick: tick.getTime() });
      }
  }
  return fallen;
}

const wallDays = (from: number, until: number) =>
  Array.from({ length: Math.round((until - from) / day) + 1 }, (_, at) => new Date(from + at * day).toISOString().slice(0, 10));

describe.each(nights)('%s around %s', (zone, _at, change) => {
  const shown = wallMinutes(zone, change);
  const [from, until] = [change - day, change + 3 * day];
  const reached = (date: string, at: string) => shown.find(({ text }) => text >= `${date} ${at}`)!.ms;
  const wanted = (at: string) =>
    wallDays(from - day, until + day)
      .map((date) => ({ date, ms: reached(date, at) }))
      .filter(({ ms }) => ms > from && ms <= until);

  test('the rule acts once for each day, in order, at its time of day or after the gap', () => {
    fc.assert(
      fc.property(triggers, (drawn) => {
        const fallen = walk(triggerOf(drawn, 'deal'), zone, [], from, until);
        expect(fallen.map(({ actingDay, moment }) => ({ date: actingDay, ms: moment }))).toEqual(wanted(drawn.at));
        for (const { tick, moment } of fallen) expect(tick).toBe(moment);
      }),
      { numRuns: numRuns({ default: 3, deep: 20 }) },
    );
  });

  test('so it does for contacts with clocks of their own, at most a quarter of an hour later', () => {
    fc.assert(
      fc.property(triggers, (drawn) => {
        const fallen = walk(triggerOf(drawn, 'contact'), 'UTC', [zone], from, until);
        const late = fallen.filter(({ tick, moment }) => tick !== moment);
        for (const { tick, moment } of late) expect(tick - moment).toBeLessThan(15 * 60_000);
        const inTime = wanted(drawn.at).filter(({ ms }) => ms <= until - 15 * 60_000 && ms > from + 15 * 60_000);
        const found = fallen.map(({ actingDay, moment }) => ({ date: actingDay, ms: moment }));
        expect(found.filter(({ ms }) => ms <= until - 15 * 60_000 && ms > from + 15 * 60_000)).toEqual(inTime);
        expect(new Set(found.map(({ date }) => date)).size).toBe(found.length);
      }),
      { numRuns: numRuns({ default: 1, deep: 5 }) },
    );
  });
});

test('in all zones together each day comes once for each of them', () => {
  const [from, until] = [Date.parse('2026-10-24T00:00Z'), Date.parse('2026-10-28T00:00Z')];
  fc.assert(
    fc.property(triggers, (drawn) => {
      const fallen = walk(triggerOf(drawn, 'contact'), 'UTC', twelveZones, from, until);
      for (const zone of twelveZones) {
        const days = fallen.filter((one) => one.zone === zone).map(({ actingDay }) => actingDay);
        expect(days.length).toBeGreaterThanOrEqual(3);
        expect(days).toEqual([...new Set(days)].sort());
      }
    }),
    { numRuns: numRuns({ default: 1, deep: 3 }) },
  );
});

test('a date comes on one acting day, a yearly one on one day of each year', () => {
  const date = fc.date({ min: new Date('1950-01-01'), max: new Date('2020-12-31'), noInvalidDate: true });
  fc.assert(
    fc.property(triggers, date, (drawn, given) => {
      const trigger = triggerOf(drawn, 'deal');
      const text = given.toISOString().slice(0, 10);
      const days = wallDays(given.getTime() - 800 * day, given.getTime() + 1600 * day);
      const acting = days.filter((one) => datesOf(trigger, one).includes(text));
      if (drawn.repeat === 'once') {
        const only = new Date(Date.parse(text) + drawn.offset_days * day).toISOString().slice(0, 10);
        expect(acting).toEqual([only]);
        return;
      }
      const years = acting.map((one) => new Date(Date.parse(one) - drawn.offset_days * day).getUTCFullYear());
      expect(years[0]).toBe(given.getUTCFullYear());
      expect(years).toEqual(years.map((_, at) => years[0]! + at));
    }),
    { numRuns: numRuns({ default: 10, deep: 40 }) },
  );
});
