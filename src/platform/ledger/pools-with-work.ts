/** One step of an index for each pool that has such rows, however many pools and rows there are. */
const steps = (name: string, where: string) => `
  ${name} as (
    (select pool
       from jobs
      where ${where}
      order by pool
      limit 1)
    union all
    select (
      select j.pool
        from jobs j
       where ${where} and j.pool > s.pool
       order by j.pool
       limit 1)
      from ${name} s
     where s.pool is not null)`;

const waiting = steps('waiting', `state = 'waiting'`);
const given = steps('given', `state = 'queued' and slot_at is not null`);

/** SQL: a recursive set. Pools with rows that wait. */
export const poolsWithWaiting = `
  with recursive ${waiting}
  select pool from waiting`;

/** SQL: as above. Pools with rows that wait, or were given room. */
export const poolsWithWork = `
  with recursive ${waiting},
  ${given}
  select pool from waiting
  union
  select pool from given`;
