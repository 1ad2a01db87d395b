import { minutesOf } from '../../platform/time/wall-time.ts';

/** Times of the wall clock, `HH:MM`; an end may be `24:00`. */
export type HourRange = { start: string; end: string };
/** weekday: 1 is Monday, 7 is Sunday. */
export type WeeklyRange = HourRange & { weekday: number };
/** Holds in place of the weekly hours of that day; without ranges it is a day off. */
export type HoursOverride = { date: string; ranges: HourRange[] };

export type Hours = { timezone: string; weekly_hours: WeeklyRange[]; overrides: HoursOverride[] };

/** The first range that is no time, ends before it begins, or begins before the one ahead of it ended; undefined: none. */
export function faultOfRanges(ranges: HourRange[]): { index: number; message: string } | undefined {
  for (const [index, { start, end }] of ranges.entries()) {
    if (minutesOf(end) <= minutesOf(start)) return { index, message: 'A range must end after it begins' };
    if (index > 0 && minutesOf(ranges[index - 1]!.end) > minutesOf(start))
      return { index, message: 'Ranges must be sorted and must not overlap' };
  }
  return undefined;
}
