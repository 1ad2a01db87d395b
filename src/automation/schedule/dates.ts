import { clockAt, firstMomentOf } from '../../platform/time/zone-clock.ts';
import type { Trigger } from '../definition/definition.ts';

export type DateTrigger = Extract<Trigger, { type: 'date' }>;
/** After `from`, until `to` and at it. */
export type Window = { from: Date; to: Date };

/** Where a date trigger gives no time of day. */
export const usualAt = '09:00';
/** A yearly date is that of a year so far back at most: nobody is older. */
const maxYears = 130;

const day = 24 * 60 * 60_000;
const hour = 60 * 60_000;
/** The first clock of the Earth shows a time so long before UTC does, the last one so long after; an hour more where a gap moves it. */
const firstMs = 14 * hour;
const lastMs = 13 * hour;

const wallOf = (date: string) => Date.parse(`${date}T00:00Z`);
const dateOf = (wall: number) => new Date(wall).toISOString().slice(0, 10);
const timeOf = ({ at = usualAt }: DateTrigger) => (Number(at.slice(0, 2)) * 60 + Number(at.slice(3))) * 60_000;

/** Days between two moments of the wall. */
function daysBetween(fromWall: number, toWall: number): string[] {
  const days: string[] = [];
  for (let wall = Math.floor(fromWall / day) * day; wall <= toWall; wall += day) days.push(dateOf(wall));
  return days;
}

/** At which moment the rule acts on a day: at its time of day, by the clock of the zone (as a cron: cron.ts). */
export const momentOn = (trigger: DateTrigger, date: string, zone: string): Date =>
  new Date(firstMomentOf(zone, wallOf(date) + timeOf(trigger)));

const isWithin = (moment: Date, { from, to }: Window) => moment > from && moment <= to;

/** On which days the rule acts within the window, by the clock of one zone. */
export function actingDays(trigger: DateTrigger, window: Window, zone: string): string[] {
  // A whole day may be left out: then the moment of two days is the same.
  const days = daysBetween(clockAt(zone, window.from.getTime()).wall - 2 * day, clockAt(zone, window.to.getTime()).wall + day);
  return days.filter((date) => isWithin(momentOn(trigger, date, zone), window));
}

/** On which days it acts somewhere on Earth. */
export function actingDaysAnywhere(trigger: DateTrigger, { from, to }: Window): string[] {
  const time = timeOf(trigger);
  const days = daysBetween(from.getTime() - day - lastMs, to.getTime() + day + firstMs);
  return days.filter((date) => {
    const utc = wallOf(date) + time;
    return utc + lastMs > from.getTime() && utc - firstMs <= to.getTime();
  });
}

const isLeap = (year: number) => new Date(Date.UTC(year, 1, 29)).getUTCDate() === 29;
const inYear = (year: number, monthAndDay: string) => `${String(year).padStart(4, '0')}-${monthAndDay}`;

/**
 * The dates on which the rule acts on such a day. A yearly date comes each year from its own on; 29 February comes on the 28th where the year has none.
 */
export function datesOf(trigger: DateTrigger, actingDay: string): string[] {
  const date = dateOf(wallOf(actingDay) - (trigger.offset_days ?? 0) * day);
  if (trigger.repeat !== 'yearly') return [date];
  const [year, monthAndDay] = [Number(date.slice(0, 4)), date.slice(5)];
  const years = Array.from({ length: maxYears + 1 }, (_, back) => year - back);
  const leapDays = monthAndDay === '02-28' && !isLeap(year) ? years.filter(isLeap).map((leap) => inYear(leap, '02-29')) : [];
  const isLeapDay = monthAndDay === '02-29';
  return [...years.filter((one) => !isLeapDay || isLeap(one)).map((one) => inYear(one, monthAndDay)), ...leapDays];
}

/** The moments of a date in the zone: the first of it, and the first of the day after. */
export const momentsOf = (date: string, zone: string): { from: Date; before: Date } => ({
  from: new Date(firstMomentOf(zone, wallOf(date))),
  before: new Date(firstMomentOf(zone, wallOf(date) + day)),
});
