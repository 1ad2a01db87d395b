import type { JobState } from './jobs.entity.ts';
import { isParked } from './park.ts';

/** Rows whose work is to come, over all organizations: each state has an index of its own, and parked rows have one. */
export const liveJobs = `(
  select *
    from jobs
   where state = 'blocked'
  union all
  select *
    from jobs
   where state = 'waiting'
  union all
  select *
    from jobs
   where state = 'queued' and not (${isParked})
  union all
  select *
    from jobs
   where state = 'queued' and ${isParked})`;

/** No partial index fits this text: a plan made while few rows have the state would read all of them (3,000 for each end). */
export const stateIs = (column: string, ...states: JobState[]) =>
  `coalesce(${column}, '') in (${states.map((state) => `'${state}'`).join(', ')})`;
