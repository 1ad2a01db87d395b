import { isDay } from '../../platform/time/moment.ts';
import type { DailyHours, Weekday } from '../../platform/time/wall-time.ts';

/** When a campaign writes. Quiet hours and weekdays are those of the clock where the recipient is. */
export type Schedule = {
  /** `2026-12-01T09:00:00` where `is_local`, else a moment with its offset; so is `end_at`. */
  start_at: string;
  /** A zone of the IANA database: that of recipients who have none. */
  timezone: string;
  /** Each recipient is due when the clock of their own zone shows `start_at`. */
  is_local: boolean;
  quiet_hours: DailyHours | null;
  /** Null: any day. */
  days: Weekday[] | null;
  /** Nobody is written to from then on. Null: it does not end. */
  end_at: string | null;
};

const wallMoment = /^[1-9]\d{3}-\d\d-\d\dT([01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?$/;

/** A time of the calendar without an offset. */
export const isWallMoment = (text: string): boolean => wallMoment.test(text) && isDay(text.slice(0, 10));

/** What the wall shows, in ms, as if it were UTC. */
export const wallMs = (text: string): number => Date.parse(`${text}Z`);
