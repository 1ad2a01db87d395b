import { Migration } from '@mikro-orm/migrations';
import { created, manyRowsEach, tenant } from './columns.ts';

/**
 * The ledger of work (docs/decisions/0002-ledger.md). Room and pace of a pool (0012) are given by functions: the pool's row is locked for
 * the time of a statement and not of three round trips (with the round trips, late runs of one busy channel queued for the lock and held
 * up every other channel of the worker).
 */
export class Ledger extends Migration {
  override name = '20261121000010-ledger';

  override up() {
    for (const statement of statements) this.addSql(statement);
  }

  override down() {
    for (const name of [...functions, 'assert_that(boolean, text)']) this.addSql(`drop function ${name}`);
    this.addSql('drop table jobs');
    this.addSql('drop sequence jobs_seq');
    this.addSql('drop table pools');
  }
}

const nobody = `'00000000-0000-0000-0000-000000000000'`;

/**
 * Looks before it locks: most fills are asked for by an end, and find nothing that waits. A row that begins to wait after the look has a
 * fill of its own to come, after its commit. `is_patient`: a pool that somebody has locked is waited for, else passed over. A plan that
 * reaches further than any fill can make it is one by another clock, of a database that has failed over. Each statement of a volatile function has
 * a snapshot of its own, so what is read after the lock is younger than the wait for it.
 */
export const fillPool = `
create function fill_pool(the_organization uuid, the_pool text, is_patient boolean)
returns table (id uuid, run int, queue text, name text, organization_id uuid, pool text, delay_ms float8)
language plpgsql volatile as $$
#variable_conflict use_column
begin
  if not exists (
    select 1
      from jobs
     where jobs.organization_id = the_organization and jobs.pool = the_pool and jobs.state = 'waiting') then
    return;
  end if;
  if is_patient then
    perform 1
       from pools
      where pools.organization_id = the_organization and pools.id = the_pool
        for no key update;
  else
    perform 1
       from pools
      where pools.organization_id = the_organization and pools.id = the_pool
        for no key update skip locked;
    if not found then
      return;
    end if;
  end if;
  return query
  with p as (
    select *,
           width - (select count(*)::int
                      from jobs
                     where jobs.organization_id = the_organization and jobs.pool = the_pool
                       and state = 'queued' and slot_at is not null) as n,
           greatest(
             least(coalesce(plan_at, clock_timestamp()), clock_timestamp() + 2 * width * interval '1 s' / rate),
             clock_timestamp()) as t0,
           interval '1 s' / (rate * 1.045) as gap
      from pools
     where pools.organization_id = the_organization and pools.id = the_pool
       and coalesce(held_until, '-infinity') <= clock_timestamp()),
  k as materialized (
    select array(
             select jobs.id
               from jobs
              where jobs.organization_id = the_organization and jobs.pool = the_pool
                and state = 'waiting' and run_at <= clock_timestamp() + interval '1 s'
              order by seq
              limit greatest(0, (select n from p))
                for no key update skip locked) as ids),
  t as (
    update pools
       set plan_at = coalesce(p.t0 + cardinality(k.ids) * p.gap, pools.plan_at), filled_at = clock_timestamp()
      from p, k
     where pools.organization_id = the_organization and pools.id = the_pool
       and cardinality(k.ids) > 0
       and (p.rate is not null or p.filled_at is null or p.filled_at < clock_timestamp() - interval '10 s'))
  update jobs j
     set state = 'queued',
         slot_at = s.slot,
         run_at = greatest(j.run_at, s.slot),
         check_at = greatest(j.run_at, s.slot) + interval '5 s'
    from p,
         k,
         unnest(k.ids) with ordinality as x(job_id, i),
         lateral (select p.t0 + coalesce((x.i - 1) * p.gap, interval '0') as slot) s
   where j.organization_id = the_organization and j.id = x.job_id
  returning j.id, j.run, j.queue, j.name, j.organization_id, j.pool,
            greatest(0, extract(epoch from j.run_at - clock_timestamp()) * 1000)::float8;
end $$`;

/** Of a pool without a rate that all organizations share: its jobs are looked for over all of them. */
const fillSharedPool = `
create function fill_shared_pool(the_pool text, is_patient boolean)
returns table (id uuid, run int, queue text, name text, organization_id uuid, pool text, delay_ms float8)
language plpgsql volatile as $$
#variable_conflict use_column
begin
  if not exists (
    select 1
      from jobs
     where jobs.pool = the_pool and jobs.state = 'waiting') then
    return;
  end if;
  if is_patient then
    perform 1
       from pools
      where pools.organization_id = ${nobody} and pools.id = the_pool
        for no key update;
  else
    perform 1
       from pools
      where pools.organization_id = ${nobody} and pools.id = the_pool
        for no key update skip locked;
    if not found then
      return;
    end if;
  end if;
  update pools
     set filled_at = clock_timestamp()
   where pools.organization_id = ${nobody} and pools.id = the_pool;
  return query
  update jobs j
     set state = 'queued',
         slot_at = clock_timestamp(),
         run_at = greatest(j.run_at, clock_timestamp()),
         check_at = greatest(j.run_at, clock_timestamp()) + interval '5 s'
   where j.ctid = any(array(
           select jobs.ctid
             from jobs
            where jobs.pool = the_pool and state = 'waiting' and run_at <= clock_timestamp() + interval '1 s'
            order by seq
            limit greatest(0, (select p.width
                                 from pools p
                                where p.organization_id = ${nobody} and p.id = the_pool
                                  and coalesce(p.held_until, '-infinity') <= clock_timestamp())
                              - (select count(*)
                                   from jobs o
                                  where o.pool = the_pool and o.state = 'queued' and o.slot_at is not null))
              for no key update skip locked))
  returning j.id, j.run, j.queue, j.name, j.organization_id, j.pool,
            greatest(0, extract(epoch from j.run_at - clock_timestamp()) * 1000)::float8;
end $$`;

/** Room for a run that has none, as a later try; false: the width is taken by others. */
const takeRoom = `
create function take_room(the_organization uuid, the_pool text, the_job uuid, the_run int) returns boolean
language plpgsql volatile as $$
begin
  perform 1
     from pools
    where pools.organization_id = the_organization and pools.id = the_pool
      for no key update;
  update jobs
     set slot_at = clock_timestamp()
    from pools p
   where jobs.organization_id = the_organization and jobs.id = the_job and jobs.run = the_run and jobs.state = 'queued'
     and p.organization_id = the_organization and p.id = the_pool
     and (select count(*)
            from jobs o
           where o.organization_id = the_organization and o.pool = the_pool
             and o.state = 'queued' and o.slot_at is not null
             and o.id <> the_job) < p.width;
  return found;
end $$`;

const takeSharedRoom = `
create function take_shared_room(the_organization uuid, the_pool text, the_job uuid, the_run int) returns boolean
language plpgsql volatile as $$
begin
  perform 1
     from pools
    where pools.organization_id = ${nobody} and pools.id = the_pool
      for no key update;
  update jobs
     set slot_at = clock_timestamp()
    from pools p
   where jobs.organization_id = the_organization and jobs.id = the_job and jobs.run = the_run and jobs.state = 'queued'
     and p.organization_id = ${nobody} and p.id = the_pool
     and (select count(*)
            from jobs o
           where o.pool = the_pool and o.state = 'queued' and o.slot_at is not null and o.id <> the_job) < p.width;
  return found;
end $$`;

/** Undoes a statement whose commit is already on its way. */
const assertThat = `
create function assert_that(holds boolean, code text) returns boolean language plpgsql volatile as $$
begin
  if holds then return true; end if;
  raise exception 'What the statement rests on has changed' using errcode = code;
end $$`;

const functions = [
  'fill_pool(uuid, text, boolean)',
  'fill_shared_pool(text, boolean)',
  'take_room(uuid, text, uuid, int)',
  'take_shared_room(uuid, text, uuid, int)',
];

const statements = [
  // `tat` is when the next claim may come, moved by the statement that claims; `plan_at` the end of the times that fill_pool gave out;
  // `filled_at` when room was last given away.
  // The nil organization has the pools that all organizations share: no reference.
  `create table pools (
     organization_id uuid not null,
     id text not null,
     width int not null check (width > 0),
     rate float8 check (rate > 0),
     tat timestamptz,
     held_until timestamptz,
     plan_at timestamptz,
     filled_at timestamptz,
     primary key (organization_id, id))`,

  'create sequence jobs_seq',
  `create table jobs (
     ${tenant},
     name text not null,
     queue text not null,
     payload jsonb not null,
     subject_type text not null,
     subject_id uuid not null,
     lane text,
     pool text,
     seq bigint not null default nextval('jobs_seq'),
     state text not null check (state in ('blocked', 'waiting', 'queued', 'failed', 'done')),
     run int not null default 1,
     attempts int not null default 0,
     run_at timestamptz not null default clock_timestamp(),
     slot_at timestamptz,
     check_at timestamptz not null,
     error jsonb,
     progress jsonb,
     visible boolean not null default false,
     stalls int not null default 0,
     started_at timestamptz,
     ${created},
     finished_at timestamptz)`,
  `create unique index jobs_head on jobs (organization_id, lane) where lane is not null and state in ('waiting', 'queued')`,
  `create index jobs_blocked on jobs (organization_id, lane, seq) where state = 'blocked'`,
  `create index jobs_waiting on jobs (organization_id, pool, seq) where state = 'waiting'`,
  `create index jobs_room on jobs (organization_id, pool) where state = 'queued' and slot_at is not null`,
  `create index jobs_check on jobs (check_at) where state = 'queued'`,
  // The subject first: an empty table has no pages, and then every index that begins with the organization looks as good as the primary key.
  'create index jobs_subject on jobs (subject_id, organization_id)',
  // One index for both states made the purge of the done walk over the failed, which stay longer. The queue is for counting them.
  `create index jobs_done on jobs (finished_at, queue) where state = 'done'`,
  `create index jobs_failed on jobs (finished_at, queue) where state = 'failed'`,
  // The ledger is small and always changing: without this, dead rows outgrow the live ones between two runs of autovacuum.
  'alter table jobs set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 200, fillfactor = 80)',
  ...manyRowsEach('jobs', 'pools'),

  fillPool,
  fillSharedPool,
  takeRoom,
  takeSharedRoom,
  assertThat,
  // Planned when most rows wait, a look would read the table for a first hit, and go on doing so when there is none.
  ...functions.map((name) => `alter function ${name} set enable_seqscan = off`),
];
