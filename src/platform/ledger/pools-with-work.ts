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

/** The pool `p` of row `w` of `work`. */
export const poolOfWork = `
  lateral (
    select *
      from pools o
     where o.organization_id = w.organization_id and o.id = w.id
    offset 0) p`;
