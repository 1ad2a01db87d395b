import { Cron } from 'croner';
import { clockAt, firstMomentOf } from '../../platform/time/zone-clock.ts';

const minute = 60_000;
/** Patterns of all rules that a worker has met. To read one takes about 0.5 ms. */
const known = new Map<string, Cron>();
const maxKnown = 1_000;

/**
 * The five fields alone are asked, as if the wall were UTC. With a zone the library gives every half hour twice in the night that has an hour twice, and
 * leaves out 02:30 of a day that is named, where the clock does.
 */
function fieldsOf(pattern: string): Cron {
  let fields = known.get(pattern);
  if (!fields) {
    fields = new Cron(pattern, { utcOffset: 0, mode: '5-part', paused: true });
    if (known.size >= maxKnown) known.clear();
    known.set(pattern, fields);
  }
  return fields;
}

/**
 * The first moment after `after` at which a clock in the zone shows a time of the pattern; undefined: there is none, such as for 30 February.
 *
 * Both nights of a change: a time that the clock leaves out falls at the moment of the change, several of them once. A time that it shows twice falls once,
 * the first time. So moments are in the order of the times on the wall, and each time falls at one moment.
 */
export function nextOfCron(pattern: string, zone: string, after: Date): Date | undefined {
  const afterMs = after.getTime();
  // Whatever the wall shows at `after` has its moment then or before.
  let wall = Math.floor(clockAt(zone, afterMs).wall / minute) * minute;
  for (;;) {
    const next = fieldsOf(pattern).nextRun(new Date(wall));
    if (!next) return undefined;
    wall = next.getTime();
    const moment = firstMomentOf(zone, wall);
    if (moment > afterMs) return new Date(moment);
  }
}

/** The last one at `until` or before it, and after `after`: what a late tick makes up for. */
export function lastOfCron(pattern: string, zone: string, after: Date, until: Date): Date | undefined {
  // Most ticks are on time: nothing else fell since.
  let last = nextOfCron(pattern, zone, after);
  if (!last || last > until) return undefined;
  // A pause of a year of every minute is half a million steps: the last one is in the last days, the last months, or at any time.
  for (const back of [day, 32 * day, 370 * day]) {
    const from = new Date(until.getTime() - back);
    if (from <= last) break;
    const near = nextOfCron(pattern, zone, from);
    if (near && near <= until) {
      last = near;
      break;
    }
  }
  for (;;) {
    const next = nextOfCron(pattern, zone, last);
    if (!next || next > until) return last;
    last = next;
  }
}

const day = 24 * 60 * minute;

/** Throws Error, with its reason, for a pattern that is none. */
export function assertCron(pattern: string): void {
  fieldsOf(pattern);
}
