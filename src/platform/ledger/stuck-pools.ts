import { poolsWithWork } from './pools-with-work.ts';

/** SQL: sets compared by pool. Stuck: not held, due work and room for a minute, and nothing given or claimed in that minute. */
export const stuckPools = `
  select p.id,
         (select count(*) from jobs j
           where j.pool = p.id and j.state in ('waiting', 'queued')) || ' rows wait or are queued' as detail
    from pools p
   where p.id = any(array(${poolsWithWork}))
     and coalesce(p.held_until, '-infinity') <= clock_timestamp()
     and coalesce(greatest(p.tat, p.filled_at), '-infinity') < clock_timestamp() - interval '1 min'
     and ((exists (
             select 1 from jobs j
              where j.pool = p.id and j.state = 'waiting' and j.run_at < clock_timestamp() - interval '1 min')
           and (select count(*) from jobs j
                 where j.pool = p.id and j.state = 'queued' and j.slot_at is not null) < p.width)
       or (p.rate is not null and exists (
             select 1 from jobs j
              where j.pool = p.id and j.state = 'queued' and j.slot_at is not null
                and j.created_at < clock_timestamp() - interval '1 min'
                and j.run_at < clock_timestamp() + interval '10 s')))`;
