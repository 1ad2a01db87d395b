import { nobody } from './pools.ts';

/** One step of an index for each pool that has such rows, however many pools and rows there are. */
const steps = (name: string, where: string) => `
  ${name} as (
    (select organization_id, pool
       from jobs
      where ${where}
      order by organization_id, pool
      limit 1)
    union all
    select n.organization_id, n.pool
      from ${name} s,
           lateral (
             select j.organization_id, j.pool
               from jobs j
              where ${where} and (j.organization_id, j.pool) > (s.organization_id, s.pool)
              order by j.organization_id, j.pool
              limit 1) n)`;

const waiting = steps('waiting', `state = 'waiting'`);
const given = steps('given', `state = 'queued' and slot_at is not null`);

/** The pool's own key: one that all organizations share is nobody's. */
const keyOf = `
  select case when pool like 'shared:%' then '${nobody}'::uuid else organization_id end as organization_id, pool as id`;

/** SQL: a recursive set. Begins a statement; `work` are the keys of pools with rows that wait. */
export const poolsWithWaiting = `
  with recursive ${waiting},
  work as (
    select distinct *
      from (${keyOf} from waiting) k)`;

/** SQL: as above. Pools with rows that wait, or were given room. */
export const poolsWithWork = `
  with recursive ${waiting},
  ${given},
  work as (${keyOf} from waiting union ${keyOf} from given)`;

/** As in fill_pool: a quarter of a pool with a rate, whose plan bulk work would fill, and three quarters of any other. */
const bulkPlaces = `greatest(1, case when p.rate is null then p.width - p.width / 4 else p.width / 4 end)`;

/**
 * Pool `p` has a place for a row of class 0 or 1 that waits and is due by `until`; `isOf` is the condition that a job belongs to it. Bulk work has a
 * share of the width alone. `class <=` and not `or`, so that what has no place is not read.
 */
export const hasPlaceFor = (isOf: (job: string) => string, until: string) => `
  exists (
    select 1
      from (select count(*) as total, count(*) filter (where q.class = 1) as bulk
              from jobs q
             where ${isOf('q')} and q.state = 'queued' and q.slot_at is not null) taken
     where taken.total < p.width
       and exists (
         select 1
           from jobs j
          where ${isOf('j')} and j.state = 'waiting' and j.run_at <= ${until}
            and j.class <= case when taken.bulk < ${bulkPlaces} then 1 else 0 end))`;

/** The pool `p` of row `w` of `work`. */
export const poolOfWork = `
  lateral (
    select *
      from pools o
     where o.organization_id = w.organization_id and o.id = w.id
    offset 0) p`;
