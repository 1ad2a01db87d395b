import { isParked } from './park.ts';
import { nobody } from './pools.ts';
import { hasPlaceFor, poolOfWork, poolsWithWork } from './pools-with-work.ts';

const isStuck = (isOf: (job: string) => string) => `
  (${hasPlaceFor(isOf, `clock_timestamp() - interval '1 min'`)}
   or (p.rate is not null and exists (
         select 1 from jobs j
          where ${isOf('j')} and j.state = 'queued' and j.slot_at is not null
            and j.created_at < clock_timestamp() - interval '1 min'
            and j.run_at < clock_timestamp() + interval '10 s')))`;

const ofOne = (job: string) => `${job}.organization_id = p.organization_id and ${job}.pool = p.id`;

/** SQL: sets compared by pool. Stuck: not held, due work and room for a minute, and nothing given or claimed in that minute. */
export const stuckPools = `
  ${poolsWithWork}
  select p.id,
         (select count(*) from jobs j
           where j.pool = p.id and j.state = 'waiting')
         + (select count(*) from jobs j
             where j.pool = p.id and j.state = 'queued' and not (${isParked})) || ' rows wait or are queued' as detail
    from work w, ${poolOfWork}
   where coalesce(p.held_until, '-infinity') <= clock_timestamp()
     and coalesce(greatest(p.tat, p.filled_at), '-infinity') < clock_timestamp() - interval '1 min'
     and (p.organization_id <> '${nobody}' and ${isStuck(ofOne)}
       or p.organization_id = '${nobody}' and ${isStuck((job) => `${job}.pool = p.id`)})`;
