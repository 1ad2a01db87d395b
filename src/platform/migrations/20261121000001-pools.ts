import { Migration } from '@mikro-orm/migrations';

/**
 * Giving out a pool's room, as functions: the pool's row is locked for the time of a statement and not of three round trips (with the
 * round trips, late runs of one busy channel queued for the lock and held up every other channel of the worker). Each statement of a
 * volatile function has a snapshot of its own, so what is read after the lock is younger than the wait for it.
 */
export class Pools extends Migration {
  override name = '20261121000001-pools';

  override up() {
    this.addSql(fillPool);
    this.addSql(reserveSlot);
  }

  override down() {
    this.addSql('drop function if exists fill_pool(text)');
    this.addSql('drop function if exists reserve_slot(text, uuid, int)');
  }
}

// Slots are given out at 95 % of the allowed rate: what starts late must not push a later second over it.
const fillPool = `
create function fill_pool(the_pool text) returns table (id uuid, run int, queue text, name text, delay_ms float8) language plpgsql volatile as $$
begin
  perform 1 from pools where pools.id = the_pool for no key update;
  return query
  with p as (
    select *, width - (select count(*)::int from jobs where pool = the_pool and state = 'queued' and slot_at is not null) as n, greatest(coalesce(tat, '-infinity'), clock_timestamp()) as t0
      from pools where pools.id = the_pool and coalesce(held_until, '-infinity') <= clock_timestamp()),
  k as materialized (
    select array(select jobs.id from jobs where pool = the_pool and state = 'waiting' and run_at <= clock_timestamp() + interval '1 s'
                  order by seq limit greatest(0, (select n from p)) for no key update skip locked) as ids),
  t as (
    update pools set tat = p.t0 + cardinality(k.ids) * interval '1 s' / (p.rate * 0.95) from p, k where pools.id = the_pool and p.rate is not null and cardinality(k.ids) > 0)
  update jobs j set state = 'queued', slot_at = s.slot, run_at = greatest(j.run_at, s.slot), check_at = greatest(j.run_at, s.slot) + interval '5 s'
    from p, k, unnest(k.ids) with ordinality as x(job_id, i), lateral (select p.t0 + coalesce((x.i - 1) * interval '1 s' / (p.rate * 0.95), interval '0') as slot) s
   where j.id = x.job_id
  returning j.id, j.run, j.queue, j.name, greatest(0, extract(epoch from j.run_at - clock_timestamp()) * 1000)::float8;
end $$`;

const reserveSlot = `
create function reserve_slot(the_pool text, the_job uuid, the_run int) returns float8 language plpgsql volatile as $$
declare early_ms float8;
begin
  perform 1 from pools where pools.id = the_pool for no key update;
  with p as (
    select *, greatest(coalesce(tat, '-infinity'), clock_timestamp()) as t0,
           (select count(*)::int from jobs where pool = the_pool and state = 'queued' and slot_at is not null and jobs.id <> the_job) as used from pools where pools.id = the_pool),
  j as (
    update jobs set slot_at = p.t0, run_at = greatest(run_at, p.t0), check_at = greatest(run_at, p.t0) + interval '5 s' from p
     where jobs.id = the_job and jobs.run = the_run and jobs.state = 'queued' and p.used < p.width
    returning greatest(0, extract(epoch from jobs.run_at - clock_timestamp()) * 1000)::float8 as early),
  t as (update pools set tat = p.t0 + interval '1 s' / (p.rate * 0.95) from p where pools.id = the_pool and p.rate is not null and exists (select 1 from j))
  select early into early_ms from j;
  return early_ms;
end $$`;
