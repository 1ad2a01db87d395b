import { Temporal } from 'temporal-polyfill';
import { type Weekday, weekdays } from '../../src/platform/time/wall-time.ts';

const minute = 60_000;
const day = 24 * 60 * minute;

/** `text` as `2026-12-01 09:00`. */
export type WallMinute = { ms: number; text: string; time: string; weekday: Weekday };

/** The clock of a zone at every minute around a moment, read with Intl alone: the reference of what schedules compute. */
export function wallMinutes(zone: string, around: number): WallMinute[] {
  const clock = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' });
  const minutes: WallMinute[] = [];
  // A week and a day ahead: then each weekday has come.
  for (let ms = around - 3 * day; ms < around + 9 * day; ms += minute) {
    const text = clock.format(ms);
    minutes.push({ ms, text, time: text.slice(11), weekday: weekdayOf(text.slice(0, 10)) });
  }
  return minutes;
}

const weekdayOf = (date: string) => weekdays[(new Date(`${date}T00:00Z`).getUTCDay() + 6) % 7]!;

/** When the clock of the zone is changed in these years. */
export function changesOf(zone: string, years: number[]): number[] {
  const [first, last] = [Math.min(...years), Math.max(...years)];
  const changes: number[] = [];
  let at = Temporal.PlainDate.from({ year: first, month: 1, day: 1 }).toZonedDateTime(zone).getTimeZoneTransition('next');
  for (; at && at.year <= last; at = at.getTimeZoneTransition('next')) changes.push(at.epochMilliseconds);
  return changes;
}
