import { nowDate } from '../time/clock.ts';
import type { JobError } from './jobs.entity.ts';

/** The error of a row that waits after a fault of our own: how often, since when, and the last time. `ours`: those that were no outage. */
type Fault = JobError & { times: number; since: string; at: string; ours: number };

/** After a longer time without a fault the job has got on. */
const maxGapMs = 10 * 60_000;

const isFault = (error: JobError | null): error is Fault => error !== null && 'since' in error;

/** The reason is in the log alone: a tenant may read the error of an operation. `before`: the row's error so far. */
export function nextFault(before: JobError | null, isOutage: boolean, at = nowDate()): Fault {
  const isSame = isFault(before) && at.getTime() - Date.parse(before.at) < maxGapMs;
  return {
    code: 'internal',
    message: 'A fault of our own: it is tried again',
    times: isSame ? before.times + 1 : 1,
    since: isSame ? before.since : at.toISOString(),
    at: at.toISOString(),
    ours: (isSame ? (before.ours ?? 0) : 0) + (isOutage ? 0 : 1),
  };
}

/** At its last attempts, and no mere outages. */
export const hasMetFaults = (error: JobError | null): boolean => isFault(error) && (error.ours ?? 0) > 0;

/** What its subject says of it. */
export const givenUp = (faults: number): JobError => ({
  code: 'internal',
  message: `A fault of our own at each of ${faults} attempts: the log has its reason`,
});

/** SQL: rows that meet a fault at each run. Those of a short outage are few and get on. */
export const repeatedFaults = `
  select id::text, name || ' in ' || queue || ', ' || (error->>'times') || ' times since ' || (error->>'since') as detail
    from jobs
   where state in ('waiting', 'queued')
     and (error->>'times')::int >= 10
     and (error->>'since')::timestamptz < clock_timestamp() - interval '5 min'
     and (error->>'at')::timestamptz > clock_timestamp() - interval '10 min'`;
