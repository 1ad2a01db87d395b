import { AppError } from '../../platform/errors.ts';
import { isDay, isMoment, momentMs } from '../../platform/time/moment.ts';
import { firstMomentOf } from '../../platform/time/zone-clock.ts';
import type { Duration } from '../definition/definition.ts';
import { maxWaitDays } from '../limits.ts';

const second = 1_000;
const day = 86_400 * second;

export const durationMs = ({ days = 0, hours = 0, minutes = 0, seconds = 0 }: Duration): number =>
  days * day + hours * 3_600 * second + minutes * 60 * second + seconds * second;

const local = /^\d{4}-\d\d-\d\d([ T]([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,3})?)?)?$/;

const refused = (message: string) =>
  new AppError('invalid_request', message, { details: [{ field: 'until', code: 'invalid', message }] });

/** What a text gave. A time without a zone, and a day, are by the clock of the organization. Throws 422. */
export function momentOf(given: unknown, zone: string): number {
  if (typeof given === 'string') {
    if (isMoment(given)) return momentMs(given);
    if (local.test(given) && isDay(given.slice(0, 10)))
      return firstMomentOf(zone, Date.parse(`${given.length === 10 ? `${given}T00:00` : given.replace(' ', 'T')}Z`));
  }
  throw refused('A wait is until a time as ISO 8601, such as 2027-01-31T09:00:00Z');
}

/** `until`: rendered; without it so long from now. Throws 422 for what is no time, and for one that is too far away. */
export function waitUntil(until: unknown, duration: Duration | undefined, zone: string, now: number): number {
  if (until === undefined) return now + durationMs(duration ?? {});
  const moment = momentOf(until, zone);
  if (moment - now > maxWaitDays * day) throw refused(`A wait is at most ${maxWaitDays} days`);
  return moment;
}
