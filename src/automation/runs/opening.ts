import type { BusinessHours } from '../../organizations/organization.entity.ts';
import { minutesOf, weekdays } from '../../platform/time/wall-time.ts';
import { clockAt } from '../../platform/time/zone-clock.ts';

const minute = 60_000;
const day = 24 * 60 * minute;

/** Day 0, the first of 1970, was a Thursday. */
const weekdayOf = (date: number) => weekdays[(((date + 3) % 7) + 7) % 7]!;

/**
 * The first moment, not before `at`, at which the organization is open, by the clock of its zone: an hour that is shown twice is open both times, and what
 * opens at a time that is left out opens at the change. Without business hours it is always open.
 */
export function opensAt(hours: BusinessHours, zone: string, at: number): number {
  if (hours.length === 0) return at;
  for (let from = at; ; ) {
    const { wall, offset, until } = clockAt(zone, from);
    const open = openWall(hours, wall);
    if (open - offset < until) return open - offset;
    from = until;
  }
}

/** Of a clock that is never changed. */
function openWall(hours: BusinessHours, wall: number): number {
  for (let date = Math.floor(wall / day); ; date += 1) {
    const time = Math.max(0, wall - date * day);
    const opens = hours.filter((one) => one.day === weekdayOf(date)).flatMap((one) => openTime(one, time) ?? []);
    if (opens.length > 0) return date * day + Math.min(...opens);
  }
}

/** Of a range of a day, in ms; undefined: it is over. */
function openTime({ from, to }: { from: string; to: string }, time: number): number | undefined {
  return time < minutesOf(to) * minute ? Math.max(time, minutesOf(from) * minute) : undefined;
}
