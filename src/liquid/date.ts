import { type FilterImplOptions, filters } from 'liquidjs';
import { Temporal } from 'temporal-polyfill';
import { isDay } from '../platform/time/moment.ts';
import { firstMomentOf } from '../platform/time/zone-clock.ts';
import { maxDateFormat } from './limits.ts';

type Filter = Extract<FilterImplOptions, (...args: never[]) => unknown>;
const original = filters.date as Filter;

const beginsWithDay = /^\d{4}-\d\d-\d\d(?!\d)/;
const withoutZone = /^\d{4}-\d\d-\d\d[ T]([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,3})?)?$/;
/** A part of a format, as the library reads it. */
const part = /%([-_0^#:]+)?(\d+)?([EO])?(.)/g;
const isoPart = /%[-_0^#:]*\d*[EO]?[GgV]/;

/**
 * Liquid's `date`, in the zone of the rendering or in the zone that the text names. A day without a time is the same day in every zone. A time
 * without a zone is by the clock of the rendering's zone. Throws for a day that is not in the calendar.
 */
export const dateFilter: Filter = function (value: unknown, format?: unknown, named?: unknown) {
  const own = String(this.context.opts.timezoneOffset);
  const shownIn = (time: unknown, zone: unknown): unknown => {
    const shown = (form: unknown): unknown => original.call(this, time, form, zone);
    return shown(typeof format === 'string' && isoPart.test(format) ? withIsoWeeks(format, shown) : format);
  };
  const zone = named ?? own;
  if (typeof value !== 'string' || !beginsWithDay.test(value)) return shownIn(value, zone);
  if (!isDay(value.slice(0, 10))) throw new Error('The filter date takes a day of the calendar');
  if (value.length === 10) return shownIn(value, 0);
  if (!withoutZone.test(value)) return shownIn(value, zone);
  return shownIn(new Date(firstMomentOf(own, Date.parse(`${value.replace(' ', 'T')}Z`))), zone);
};

/** The format with its ISO years and weeks filled in, which the library leaves as they are written. */
function withIsoWeeks(format: string, shown: (form: string) => unknown): string {
  const day = String(shown('%Y-%m-%d'));
  if (!isDay(day)) return format;
  const { weekOfYear, yearOfWeek } = Temporal.PlainDate.from(day);
  return format.replace(part, (whole, flags: string | undefined, width: string | undefined, _, name: string) => {
    if (name === 'G') return numeral(yearOfWeek!, flags, width, 4);
    if (name === 'g') return numeral(yearOfWeek! % 100, flags, width, 2);
    if (name === 'V') return numeral(weekOfYear!, flags, width, 2);
    return whole;
  });
}

function numeral(value: number, flags: string | undefined, width: string | undefined, usual: number): string {
  if (flags?.includes('-')) return String(value);
  return String(value).padStart(Math.min(Number(width) || usual, maxDateFormat), flags?.includes('_') ? ' ' : '0');
}
