import { Temporal } from 'temporal-polyfill';
import { minutesOf } from '../../platform/time/wall-time.ts';
import type { HourRange, Hours } from './hours.ts';

/** Milliseconds since 1970; the end does not belong to it. */
export type Span = { start: number; end: number };

export type ServiceTimes = {
  duration_minutes: number;
  buffer_before: number;
  buffer_after: number;
  step_minutes: number;
};

const minute = 60_000;
const day = 24 * 60 * minute;

/**
 * When somebody works, and each start there from which the service ends in time. The steps count from the beginning of a range by the wall
 * clock, so a 13:00 start stays 13:00 on a day that is an hour longer. A wall time that does not exist is left out, of two the first counts.
 * Buffers need not fit into the hours. Only starts within `window`.
 */
export function workingStarts(
  hours: Hours,
  { duration_minutes, step_minutes }: ServiceTimes,
  window: Span,
  clocks: Clocks = clockOf,
): number[] {
  const starts: number[] = [];
  for (const { range, clock } of workingRanges(hours, window, clocks)) {
    const [begin, end] = [clock(minutesOf(range.start)), clock(minutesOf(range.end))];
    for (let at = minutesOf(range.start); at < minutesOf(range.end); at += step_minutes) {
      const { ms, isReal } = clock(at);
      if (!isReal || ms < begin.ms || ms + duration_minutes * minute > end.ms) continue;
      if (ms >= window.start && ms < window.end) starts.push(ms);
    }
  }
  return [...new Set(starts)].sort((one, other) => one - other);
}

/** Whether the whole service lies within one range, on whatever step. */
export function isWithinHours(hours: Hours, { duration_minutes }: ServiceTimes, start: number): boolean {
  const end = start + duration_minutes * minute;
  return workingRanges(hours, { start, end }).some(
    ({ range, clock }) => clock(minutesOf(range.start)).ms <= start && end <= clock(minutesOf(range.end)).ms,
  );
}

/** The time that a booking takes from whoever does it: the buffers are inside. */
export const duringOf = ({ duration_minutes, buffer_before, buffer_after }: ServiceTimes, start: number): Span => ({
  start: start - buffer_before * minute,
  end: start + (duration_minutes + buffer_after) * minute,
});

/** Of sorted starts, those whose time meets nothing that is taken. */
export function freeStarts(starts: number[], service: ServiceTimes, taken: Span[]): number[] {
  const busy = joined(taken);
  let at = 0;
  return starts.filter((start) => {
    const during = duringOf(service, start);
    while (at < busy.length && busy[at]!.end <= during.start) at += 1;
    return at === busy.length || busy[at]!.start >= during.end;
  });
}

/** Sorted, and without overlaps. */
export function joined(spans: Span[]): Span[] {
  const whole: Span[] = [];
  for (const span of spans.filter(({ start, end }) => start < end).sort((one, other) => one.start - other.start)) {
    const last = whole.at(-1);
    if (last && span.start <= last.end) last.end = Math.max(last.end, span.end);
    else whole.push({ ...span });
  }
  return whole;
}

/** The first moment at which the clock shows so many minutes of the day, or more; `isReal`: it shows just these. */
type Clock = (minutes: number) => { ms: number; isReal: boolean };
export type Clocks = (timezone: string, date: Temporal.PlainDate) => Clock;

function workingRanges(
  { timezone, weekly_hours, overrides }: Hours,
  window: Span,
  clocks: Clocks = clockOf,
): { range: HourRange; clock: Clock }[] {
  const ranges: { range: HourRange; clock: Clock }[] = [];
  const last = dateAt(timezone, window.end);
  for (let date = dateAt(timezone, window.start); Temporal.PlainDate.compare(date, last) <= 0; date = date.add({ days: 1 })) {
    const day = date.toString();
    const override = overrides.find((one) => one.date === day);
    const ofDay = override?.ranges ?? weekly_hours.filter(({ weekday }) => weekday === date.dayOfWeek);
    if (ofDay.length === 0) continue;
    const clock = clocks(timezone, date);
    ranges.push(...ofDay.map((range) => ({ range, clock })));
  }
  return ranges;
}

const dateAt = (timezone: string, ms: number) =>
  Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timezone).toPlainDate();

function clockOf(timezone: string, date: Temporal.PlainDate): Clock {
  const slow: Clock = (minutes) => momentOf(timezone, date, minutes);
  const start = slow(0);
  const end = slow(24 * 60);
  // A day of 24 hours has no change of the clock: adding is enough, which is much faster.
  if (start.isReal && end.ms - start.ms === day) return (minutes) => ({ ms: start.ms + minutes * minute, isReal: true });
  const changed = clockOfChange(timezone, date);
  return changed?.(24 * 60).ms === end.ms ? changed : slow;
}

/** Of a day with one change: by the distances from UTC before it and after it. A conversion for each start of a hundred people would hold the process. */
function clockOfChange(timezone: string, date: Temporal.PlainDate): Clock | undefined {
  const before = date.toZonedDateTime(timezone).subtract({ minutes: 1 });
  const change = before.getTimeZoneTransition('next');
  if (!change) return undefined;
  const [first, then] = [before, change].map(({ offsetNanoseconds }) => offsetNanoseconds / 1_000_000) as [number, number];
  const midnight = date.toZonedDateTime('UTC').epochMilliseconds;
  const changeMs = change.epochMilliseconds;
  return (minutes) => {
    const wall = midnight + minutes * minute;
    if (wall - first < changeMs) return { ms: wall - first, isReal: true };
    return wall - then < changeMs ? { ms: changeMs, isReal: false } : { ms: wall - then, isReal: true };
  };
}

/** For many people in few zones: a clock takes some conversions of Temporal, which are slow. */
export function rememberedClocks(): Clocks {
  const known = new Map<string, Clock>();
  return (timezone, date) => {
    const key = `${date} ${timezone}`;
    const clock = known.get(key) ?? clockOf(timezone, date);
    known.set(key, clock);
    return clock;
  };
}

function momentOf(timezone: string, date: Temporal.PlainDate, minutes: number) {
  const wall = date.toPlainDateTime().add({ minutes });
  const found = wall.toZonedDateTime(timezone, { disambiguation: 'compatible' });
  if (found.toPlainDateTime().equals(wall)) return { ms: found.epochMilliseconds, isReal: true };
  // Left out when the clock goes forward: the moment of that.
  const change = found.add({ minutes: 1 }).getTimeZoneTransition('previous');
  return { ms: (change ?? found).epochMilliseconds, isReal: false };
}

/** The days from the first to the last, both whole, as they are in that zone. Throws RangeError for a day that is none. */
export function daysIn(timezone: string, first: string, last: string): Span {
  const at = (date: string, minutes: number) =>
    momentOf(timezone, Temporal.PlainDate.from(date, { overflow: 'reject' }), minutes).ms;
  return { start: at(first, 0), end: at(last, 24 * 60) };
}

/** Each of these days, whole: where one ends the next begins. */
export function* eachDay(timezone: string, first: string, last: string): Generator<{ date: string; span: Span }> {
  const end = Temporal.PlainDate.from(last);
  for (let day = Temporal.PlainDate.from(first); Temporal.PlainDate.compare(day, end) <= 0; day = day.add({ days: 1 })) {
    const date = day.toString();
    yield { date, span: daysIn(timezone, date, date) };
  }
}

/** `2026-03-29T13:00:00+02:00`: what a clock in that zone shows. */
export const shownIn = (timezone: string, ms: number): string =>
  Temporal.Instant.fromEpochMilliseconds(ms).toString({ timeZone: timezone, smallestUnit: 'second' });
