import type { Hours } from '../../src/commerce/bookings/hours.ts';
import type { ServiceTimes, Span } from '../../src/commerce/bookings/slots.ts';
import { minutesOf } from '../../src/platform/time/wall-time.ts';

const minute = 60_000;

/** Reads the clock of a zone at every minute, with Intl alone: slow, and nothing in it that could be wrong in the same way. */
function wallTimes(timezone: string, { start, end }: Span): { ms: number; text: string }[] {
  const clock = new Intl.DateTimeFormat('sv-SE', {
    timeZone: timezone,
    dateStyle: 'short',
    timeStyle: 'short',
  });
  const times = [];
  for (let ms = start; ms < end; ms += minute) times.push({ ms, text: clock.format(ms) });
  return times;
}

const textOf = (date: string, minutes: number) => {
  const day = new Date(Date.parse(`${date}T00:00:00Z`) + minutes * minute).toISOString();
  return `${day.slice(0, 10)} ${day.slice(11, 16)}`;
};
const weekdayOf = (date: string) => ((new Date(`${date}T00:00:00Z`).getUTCDay() + 6) % 7) + 1;

/** The reference for `workingStarts`. */
export function slotsByMinutes({ timezone, weekly_hours, overrides }: Hours, service: ServiceTimes, window: Span): number[] {
  const day = 24 * 60 * minute;
  const times = wallTimes(timezone, { start: window.start - 2 * day, end: window.end + 2 * day });
  const firstAt = new Map<string, number>();
  for (const { ms, text } of times) if (!firstAt.has(text)) firstAt.set(text, ms);
  const reaches = (text: string) => times.find((one) => one.text >= text)?.ms ?? Number.POSITIVE_INFINITY;
  const starts = new Set<number>();
  const dates = [new Set(times.map(({ text }) => text.slice(0, 10)))].flatMap((set) => [...set]).slice(1, -1);
  for (const date of dates) {
    const ranges =
      overrides.find((one) => one.date === date)?.ranges ?? weekly_hours.filter(({ weekday }) => weekday === weekdayOf(date));
    for (const range of ranges) {
      const end = reaches(textOf(date, minutesOf(range.end)));
      for (let at = minutesOf(range.start); at < minutesOf(range.end); at += service.step_minutes) {
        const start = firstAt.get(textOf(date, at));
        if (start !== undefined && start + service.duration_minutes * minute <= end) starts.add(start);
      }
    }
  }
  return [...starts].filter((ms) => ms >= window.start && ms < window.end).sort((one, other) => one - other);
}
