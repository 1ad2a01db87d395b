/**
 * SQL: sets of rows compared by pool.
 * Pools that do not move: not held, with work that is due for a minute and room for it, and with no room given and nothing claimed in that
 * minute. Columns: `id`, and `detail`, the work in words.
 */
export const stuckPools = `
  select p.id,
         (select count(*) from jobs j
           where j.pool = p.id and j.state in ('waiting', 'queued')) || ' rows wait or are queued' as detail
    from pools p
   where coalesce(p.held_until, '-infinity') <= clock_timestamp()
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
