import { Temporal } from 'temporal-polyfill';

/** The clock of a zone is `offset` ms ahead of UTC from `from` on, until `until`. */
type Stretch = { from: number; until: number; offset: number };

/** The clock of a zone between two changes; `wall` is what it shows, in ms, as if it were UTC. */
export type ZoneClock = { wall: number; offset: number; until: number };

const day = 24 * 60 * 60_000;
const margin = 30 * day;
const maxStretches = 32;
const maxZones = 1_000;

/** The library takes about 0.5 ms for a zone that is asked the first time; a stretch that is known is looked up. */
const known = new Map<string, Stretch[]>();

function stretchAt(zone: string, ms: number): Stretch {
  let stretches = known.get(zone);
  if (!stretches) {
    if (known.size >= maxZones) known.clear();
    stretches = [];
    known.set(zone, stretches);
  }
  let stretch = stretches.find(({ from, until }) => ms >= from && ms < until);
  // From some days earlier on: what is asked next is often a little before.
  for (let from = ms - margin; !stretch; ) {
    const next = learn(stretches, zone, from);
    if (ms < next.until) stretch = next;
    from = next.until;
  }
  return stretch;
}

/** Only the next change is looked for: to find the one before takes the library ten times as long. */
function learn(stretches: Stretch[], zone: string, ms: number): Stretch {
  const at = Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zone);
  const offset = at.offsetNanoseconds / 1e6;
  const until = at.getTimeZoneTransition('next')?.epochMilliseconds ?? Number.POSITIVE_INFINITY;
  const same = stretches.find((other) => other.until === until);
  if (same) {
    same.from = Math.min(same.from, ms);
    return same;
  }
  if (stretches.length >= maxStretches) stretches.length = 0;
  const stretch = { from: ms, until, offset };
  stretches.push(stretch);
  return stretch;
}

/** Throws RangeError for a zone that is none. */
export function clockAt(zone: string, ms: number): ZoneClock {
  const { offset, until } = stretchAt(zone, ms);
  return { wall: ms + offset, offset, until };
}

/**
 * The first moment at which the clock shows `wall` or more: of a time that the clock shows twice the first, of one that it leaves out the
 * moment of the change. So a later time of the wall is never an earlier moment.
 */
export function firstMomentOf(zone: string, wall: number): number {
  // No clock is a day ahead of UTC, so the moment is not before this one.
  let from = wall - day;
  for (;;) {
    const { offset, until } = stretchAt(zone, from);
    const moment = Math.max(from, wall - offset);
    if (moment < until) return moment;
    from = until;
  }
}
