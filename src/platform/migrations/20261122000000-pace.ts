import { Migration } from '@mikro-orm/migrations';
import { Pools } from './20261121000001-pools.ts';
import { FillProbe } from './20261121000011-fill-probe.ts';

/**
 * The pace of a pool is kept by the claim (src/platform/ledger/pace.ts): `tat` is when its next claim may come, moved by the statement that claims.
 * What fill_pool gives out is a plan: times at which runs shall come to claim, spread so that they do not crowd, and a tenth closer than
 * the pace, so that a place in the pace that a late run left free is taken by the next. `filled_at` says when room was last given away.
 */
export class Pace extends Migration {
  override name = '20261122000000-pace';

  override up() {
    this.addSql('drop function fill_pool(text)');
    this.addSql('drop function fill_pool_with_room(text)');
    this.addSql('drop function reserve_slot(text, uuid, int)');
    this.addSql('alter table pools add column plan_at timestamptz, add column filled_at timestamptz');
    this.addSql(fillPool);
    this.addSql(takeRoom);
    // Planned when most rows wait, a look would read the table for a first hit, and go on doing so when there is none.
    for (const name of ['fill_pool(text, boolean)', 'take_room(text, uuid, int)'])
      this.addSql(`alter function ${name} set enable_seqscan = off`);
  }

  override down() {
    this.addSql('drop function fill_pool(text, boolean)');
    this.addSql('drop function take_room(text, uuid, int)');
    this.addSql('alter table pools drop column plan_at, drop column filled_at');
    // The functions as the migrations before this one made them; their tables have not changed since.
    const before = [new Pools(this.driver, this.config), new FillProbe(this.driver, this.config)];
    for (const migration of before) migration.up();
    const made = before.flatMap((migration) => migration.getQueries().map(String));
    for (const statement of made) if (!statement.startsWith('alter table')) this.addSql(statement);
  }
}

/**
 * Looks before it locks: most fills are asked for by an end, and find nothing that waits. A row that begins to wait after the look has a
 * fill of its own to come, after its commit. `is_patient`: a pool that somebody has locked is waited for, else passed over. A plan that
 * reaches further than any fill can make it is one by another clock, of a database that has failed over. Each statement of a volatile function has a snapshot of its own, so what is read after the
 * lock is younger than the wait for it.
 */
const fillPool = `
create function fill_pool(the_pool text, is_patient boolean)
returns table (id uuid, run int, queue text, name text, organization_id uuid, pool text, delay_ms float8) language plpgsql volatile as $$
#variable_conflict use_column
begin
  if not exists (select 1 from jobs where jobs.pool = the_pool and jobs.state = 'waiting') then return; end if;
  if is_patient then
    perform 1 from pools where pools.id = the_pool for no key update;
  else
    perform 1 from pools where pools.id = the_pool for no key update skip locked;
    if not found then return; end if;
  end if;
  return query
  with p as (
    select *, width - (select count(*)::int from jobs where jobs.pool = the_pool and state = 'queued' and slot_at is not null) as n,
           greatest(least(coalesce(plan_at, clock_timestamp()), clock_timestamp() + 2 * width * interval '1 s' / rate), clock_timestamp()) as t0, interval '1 s' / (rate * 1.045) as gap
      from pools where pools.id = the_pool and coalesce(held_until, '-infinity') <= clock_timestamp()),
  k as materialized (
    select array(select jobs.id from jobs
                  where jobs.pool = the_pool and state = 'waiting' and run_at <= clock_timestamp() + interval '1 s'
                  order by seq limit greatest(0, (select n from p)) for no key update skip locked) as ids),
  t as (
    update pools set plan_at = coalesce(p.t0 + cardinality(k.ids) * p.gap, pools.plan_at), filled_at = clock_timestamp() from p, k
     where pools.id = the_pool and cardinality(k.ids) > 0
       and (p.rate is not null or p.filled_at is null or p.filled_at < clock_timestamp() - interval '10 s'))
  update jobs j set state = 'queued', slot_at = s.slot, run_at = greatest(j.run_at, s.slot), check_at = greatest(j.run_at, s.slot) + interval '5 s'
    from p, k, unnest(k.ids) with ordinality as x(job_id, i), lateral (select p.t0 + coalesce((x.i - 1) * p.gap, interval '0') as slot) s
   where j.id = x.job_id
  returning j.id, j.run, j.queue, j.name, j.organization_id, j.pool, greatest(0, extract(epoch from j.run_at - clock_timestamp()) * 1000)::float8;
end $$`;

/** Room for a run that has none, as a later try; false: the width is taken by others. */
const takeRoom = `
create function take_room(the_pool text, the_job uuid, the_run int) returns boolean language plpgsql volatile as $$
begin
  perform 1 from pools where pools.id = the_pool for no key update;
  update jobs set slot_at = clock_timestamp() from pools p
   where jobs.id = the_job and jobs.run = the_run and jobs.state = 'queued' and p.id = the_pool
     and (select count(*) from jobs o where o.pool = the_pool and o.state = 'queued' and o.slot_at is not null and o.id <> the_job) < p.width;
  return found;
end $$`;
