import { momentMs } from '../../platform/time/moment.ts';
import { firstMomentOf } from '../../platform/time/zone-clock.ts';
import { type Schedule, wallMs } from './schedule.ts';

const hour = 60 * 60_000;
/** The first clock of the Earth to show a time is that of Kiribati, the last one that of ships west of Hawaii. */
const firstOffsetMs = 14 * hour;
const lastOffsetMs = -12 * hour;

const momentIn = ({ is_local }: Schedule, zone: string, text: string): number =>
  is_local ? firstMomentOf(zone, wallMs(text)) : momentMs(text);

/** When a recipient in that zone is due, quiet hours and weekdays aside. */
export const startIn = (schedule: Schedule, zone: string): Date => new Date(momentIn(schedule, zone, schedule.start_at));

/** From then on no recipient in that zone is written to. */
export const endIn = (schedule: Schedule, zone: string): Date | undefined =>
  schedule.end_at === null ? undefined : new Date(momentIn(schedule, zone, schedule.end_at));

/** Before it nobody is due, whatever their zone. */
export const earliestStart = ({ is_local, start_at }: Schedule): Date =>
  new Date(is_local ? wallMs(start_at) - firstOffsetMs : momentMs(start_at));

/** From then on nobody is written to, whatever their zone. */
export function latestEnd({ is_local, end_at }: Schedule): Date | undefined {
  if (end_at === null) return undefined;
  return new Date(is_local ? wallMs(end_at) - lastOffsetMs : momentMs(end_at));
}

/**
 * Whether the start was missed by more than the grace. Where each recipient has a start of their own, that in the zone of the schedule
 * counts, or in the one given.
 */
export const isLate = (schedule: Schedule, now: Date, graceMs: number, zone = schedule.timezone): boolean =>
  now.getTime() - startIn(schedule, zone).getTime() > graceMs;
