import { isDay, isMoment } from './moment.ts';
import { firstMomentOf } from './zone-clock.ts';

const dayMs = 24 * 60 * 60_000;

/** A day stands for its first millisecond, or for its last one where the field is the end of something. */
export type DayEdge = 'start' | 'end';

export const isPlainDay = (text: string): boolean => /^[1-9]\d{3}-\d\d-\d\d$/.test(text) && isDay(text);

/**
 * The moment that a day stands for in the zone. Undefined where the zone takes it out of the years that a time can have. The end is counted from the
 * next day, as a change of the clock may fall on midnight.
 */
export function momentOfDay(day: string, timezone: string, edge: DayEdge): string | undefined {
  const wall = Date.parse(`${day}T00:00:00Z`);
  const ms = edge === 'start' ? firstMomentOf(timezone, wall) : firstMomentOf(timezone, wall + dayMs) - 1;
  const moment = new Date(ms).toISOString();
  return isMoment(moment) ? moment : undefined;
}
