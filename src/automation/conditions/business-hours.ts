import type { BusinessHours } from '../../organizations/organization.entity.ts';
import { minutesOf, weekdays } from '../../platform/time/wall-time.ts';
import { clockAt } from '../../platform/time/zone-clock.ts';

const minute = 60_000;
const day = 24 * 60 * minute;
/** 1970-01-01 was a Thursday. */
const firstWeekday = 3;

/** An organization without business hours is always there. A range ends before its `to`. */
export function isWithinHours(ms: number, hours: BusinessHours, timezone: string): boolean {
  if (hours.length === 0) return true;
  const { wall } = clockAt(timezone, ms);
  const days = Math.floor(wall / day);
  const weekday = weekdays[(((days + firstWeekday) % 7) + 7) % 7];
  const minutes = Math.floor((wall - days * day) / minute);
  return hours.some((range) => range.day === weekday && minutes >= minutesOf(range.from) && minutes < minutesOf(range.to));
}
