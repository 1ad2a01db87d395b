import type { Trigger } from '../definition/definition.ts';
import { lastOfCron, nextOfCron } from './cron.ts';
import { usualAt, type Window } from './dates.ts';

/** Whose wall the moments of a rule are read from; `isOfContacts`: each contact has a clock of their own. */
export type RuleClock = { pattern: string; zone: string; isOfContacts: boolean };
export type Zones = { timezone: string; timezone_field: string | null };

const hours = 60 * 60_000;
/** More than a day and a night of a change. */
const twoDaysMs = 49 * hours;
const quarterMs = hours / 4;

/** Every quarter of an hour, one of which shows the time of day in each zone there is. */
const quarters = (minute: number) => [0, 15, 30, 45].map((more) => (minute + more) % 60).join(',');

/** Undefined: the trigger has no time of its own. A date is asked about each day, at the trigger's time. */
export function clockOf(trigger: Trigger, { timezone, timezone_field }: Zones): RuleClock | undefined {
  if (trigger.type === 'schedule') return { pattern: trigger.cron, zone: trigger.timezone ?? timezone, isOfContacts: false };
  if (trigger.type !== 'date') return undefined;
  const [hour, minute] = (trigger.at ?? usualAt).split(':').map(Number) as [number, number];
  if (trigger.kind === 'contact' && timezone_field !== null)
    return { pattern: `${quarters(minute)} * * * *`, zone: 'UTC', isOfContacts: true };
  return { pattern: `${minute} ${hour} * * *`, zone: trigger.timezone ?? timezone, isOfContacts: false };
}

export const nextOf = ({ pattern, zone }: RuleClock, after: Date): Date | undefined => nextOfCron(pattern, zone, after);

const justBefore = (moment: Date) => new Date(moment.getTime() - 1);

/** `first`: the moment that the tick was written for. */
type Waited = { writtenAt: Date; first: Date };

/**
 * Of the moments that have come since the tick was written, or from the one on that it waits for: the last. The organization's zone may have changed since, so
 * that one came earlier, or none has come.
 */
export const lastOf = ({ pattern, zone }: RuleClock, { writtenAt, first }: Waited, now: Date): Date | undefined =>
  lastOfCron(pattern, zone, writtenAt < first ? writtenAt : justBefore(first), now);

/**
 * Which time a tick for dates answers for: since the tick before. Where workers stood still, a day is made up for; what fell earlier does not fall any more.
 * Contacts may have got clocks of their own since the tick was written: then it waited for a day, not for a quarter.
 */
export function windowOf(clock: RuleClock, { writtenAt, first }: Waited, last: Date): Window {
  const { pattern, zone, isOfContacts } = clock;
  if (isOfContacts) {
    const since = Math.min(first.getTime() - quarterMs, writtenAt.getTime());
    return { from: new Date(Math.max(since, last.getTime() - 24 * hours)), to: last };
  }
  const before = lastOfCron(pattern, zone, new Date(last.getTime() - twoDaysMs), justBefore(last));
  return { from: before ?? justBefore(last), to: last };
}
