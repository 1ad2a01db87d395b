import { isMoment } from '../../platform/time/moment.ts';
import { wallTime, weekdays } from '../../platform/time/wall-time.ts';
import { isTimeZone } from '../../platform/time/zones.ts';
import { dueIn } from './open-hours.ts';
import { isWallMoment, type Schedule, wallMs } from './schedule.ts';
import { earliestStart, latestEnd } from './start.ts';

/** `path` from the body on, as `schedule.start_at`. */
export type ScheduleFault = { path: string; code: string; message: string };

/** A leap year: the anniversary is never beyond it. */
const maxAheadMs = 366 * 24 * 60 * 60_000;

const fault = (name: string, code: string, message: string): ScheduleFault => ({
  path: `schedule.${name}`,
  code,
  message: `schedule.${name} ${message}`,
});

/** A start that is past means now. */
export function checkSchedule(schedule: Schedule, now: Date): ScheduleFault[] {
  const faults = [
    ...faultsOfTimes(schedule, now),
    ...faultsOfZone(schedule),
    ...faultsOfQuietHours(schedule),
    ...faultsOfDays(schedule),
  ];
  return faults.length > 0 ? faults : faultsOfHours(schedule, now);
}

/** Of each whole hour ahead of UTC and behind it: what is closed in all of them is open nowhere. */
const zonesOfTheEarth = Array.from({ length: 27 }, (_, n) => `Etc/GMT${n < 13 ? '+' : '-'}${Math.abs(n - 12)}`);

/** Everybody would be skipped, as `expired`. */
function faultsOfHours(schedule: Schedule, now: Date): ScheduleFault[] {
  if (schedule.end_at === null || !(schedule.quiet_hours || schedule.days)) return [];
  if ([schedule.timezone, ...zonesOfTheEarth].some((zone) => dueIn(schedule, zone, now) !== undefined)) return [];
  return [fault('end_at', 'schedule.closed', 'must leave some time that quiet_hours and days allow')];
}

function faultsOfTimes(schedule: Schedule, now: Date): ScheduleFault[] {
  const { is_local, start_at, end_at } = schedule;
  const isTime = is_local ? isWallMoment : isMoment;
  const form = is_local
    ? 'must be a time without an offset, as 2026-12-01T09:00:00, where is_local'
    : 'must be a time with its offset, as 2026-12-01T09:00:00+01:00';
  const faults: ScheduleFault[] = [];
  if (!isTime(start_at)) faults.push(fault('start_at', 'string.isoDate', form));
  else if (earliestStart(schedule).getTime() - now.getTime() > maxAheadMs)
    faults.push(fault('start_at', 'schedule.far', 'must not be more than a year ahead'));
  if (end_at === null) return faults;
  if (!isTime(end_at)) return [...faults, fault('end_at', 'string.isoDate', form)];
  if (latestEnd(schedule)! <= now) faults.push(fault('end_at', 'schedule.over', 'must not be past'));
  else if (isTime(start_at) && !isAfter(schedule, end_at))
    faults.push(fault('end_at', 'schedule.order', 'must be after start_at'));
  return faults;
}

const isAfter = (schedule: Schedule, end_at: string) =>
  schedule.is_local ? wallMs(end_at) > wallMs(schedule.start_at) : latestEnd({ ...schedule, end_at })! > earliestStart(schedule);

const faultsOfZone = ({ timezone }: Schedule) =>
  isTimeZone(timezone) ? [] : [fault('timezone', 'timezone.unknown', 'must be a zone of the IANA database, as Asia/Jakarta')];

function faultsOfQuietHours({ quiet_hours }: Schedule): ScheduleFault[] {
  if (!quiet_hours) return [];
  const names = (['from', 'to'] as const).filter((name) => !wallTime.test(quiet_hours[name]));
  const faults = names.map((name) => fault(`quiet_hours.${name}`, 'string.pattern.name', 'must be a time as HH:MM'));
  const isWholeDay = faults.length === 0 && quiet_hours.from === quiet_hours.to;
  return isWholeDay ? [fault('quiet_hours.to', 'hours.empty', 'must not be the same time as from')] : faults;
}

function faultsOfDays({ days }: Schedule): ScheduleFault[] {
  if (!days) return [];
  if (days.length === 0) return [fault('days', 'array.min', 'must have at least one day; null stands for any')];
  return days.flatMap((day, index) =>
    weekdays.includes(day) ? [] : [fault(`days[${index}]`, 'any.only', `must be one of ${weekdays.join(', ')}`)],
  );
}
