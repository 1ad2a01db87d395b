import { isOpen, nextOpen } from '../schedule/open-hours.ts';
import type { Schedule } from '../schedule/schedule.ts';
import { endIn } from '../schedule/start.ts';

/** A zone is open or it is not, or the campaign has ended there. */
export function zonesAt(schedule: Schedule, zones: string[], now: Date): { open: string[]; over: string[] } {
  const over = zones.filter((zone) => (endIn(schedule, zone)?.getTime() ?? Number.POSITIVE_INFINITY) <= now.getTime());
  return { over, open: zones.filter((zone) => !over.includes(zone) && isOpen(schedule, zone, now)) };
}

/** When somebody who is due at `dueMs` in that zone is written to, or is not any more. */
export function wakeIn(schedule: Schedule, zone: string, dueMs: number, now: Date): number {
  const from = new Date(Math.max(dueMs, now.getTime()));
  const open = nextOpen(schedule, zone, from) ?? endIn(schedule, zone);
  return open?.getTime() ?? from.getTime();
}
