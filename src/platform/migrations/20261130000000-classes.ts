import { Migration } from '@mikro-orm/migrations';
import { fillPool as fillPoolBefore } from './20261121000010-ledger.ts';

export const isSeqScanOff = (name: string) => `alter function ${name} set enable_seqscan = off`;
export const nameOfFill = 'fill_pool(uuid, text, boolean)';

/** Conversation (0) before bulk (1) in every pool (docs/decisions/0034-classes.md). */
export class Classes extends Migration {
  override name = '20261130000000-classes';

  override up() {
    this.addSql('alter table jobs add class smallint not null default 0 check (class between 0 and 1)');
    this.index('waiting', 'class, seq');
    this.index('room', 'class');
    for (const text of [fillPoolWith('greatest(1, width / 4)'), stateOfReleased, hasBulk]) this.addSql(text);
    for (const name of [nameOfFill, 'state_of_released(uuid, text, smallint, timestamptz)', 'has_bulk(uuid, text)'])
      this.addSql(isSeqScanOff(name));
  }

  override down() {
    this.addSql('drop function has_bulk(uuid, text)');
    this.addSql('drop function state_of_released(uuid, text, smallint, timestamptz)');
    this.addSql(`drop function ${nameOfFill}`);
    this.addSql(fillPoolBefore);
    this.addSql(isSeqScanOff(nameOfFill));
    this.index('waiting', 'seq');
    this.index('room', '');
    this.addSql('alter table jobs drop class');
  }

  private index(name: 'waiting' | 'room', more: string) {
    const where = { waiting: `state = 'waiting'`, room: `state = 'queued' and slot_at is not null` }[name];
    this.addSql(`drop index jobs_${name}`);
    this.addSql(`create index jobs_${name} on jobs (organization_id, pool${more && `, ${more}`}) where ${where}`);
  }
}

/**
 * As in 20261121000010-ledger, with two classes. Bulk rows take what conversation rows leave, and hold at most a quarter of the width: their plan
 * reaches a quarter of a second ahead. Conversation rows do not stand behind it: while bulk rows hold places, theirs begin now, or where the
 * last conversation row has its place. The bulk row that is too early then gets the end of the plan from its claim, so such places do not
 * move `plan_at`. Each an expression of a pool's columns: `bulkPlaces`; `closer`, times the rate, how close the plan is; `notBefore`, for a plan
 * that has run out.
 */
export const fillPoolWith = (bulkPlaces: string, closer = '1.045', notBefore = 'null') => `
create or replace function fill_pool(the_organization uuid, the_pool text, is_patient boolean)
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
           width - taken.total as n,
           ${bulkPlaces} - taken.bulk as bulk_n,
           greatest(
             least(coalesce(plan_at, clock_timestamp()), clock_timestamp() + 2 * width * interval '1 s' / rate),
             ${notBefore},
             clock_timestamp()) as t0,
           interval '1 s' / (rate * ${closer}) as gap
      from pools,
           (select count(*)::int as total, (count(*) filter (where class = 1))::int as bulk
              from jobs
             where jobs.organization_id = the_organization and jobs.pool = the_pool
               and state = 'queued' and slot_at is not null) taken
     where pools.organization_id = the_organization and pools.id = the_pool
       and coalesce(held_until, '-infinity') <= clock_timestamp()),
  first as materialized (
    select array(
             select jobs.id
               from jobs
              where jobs.organization_id = the_organization and jobs.pool = the_pool
                and state = 'waiting' and class = 0 and run_at <= clock_timestamp() + interval '1 s'
              order by seq
              limit greatest(0, (select n from p))
                for no key update skip locked) as ids),
  rest as materialized (
    select array(
             select jobs.id
               from jobs
              where jobs.organization_id = the_organization and jobs.pool = the_pool
                and state = 'waiting' and class = 1 and run_at <= clock_timestamp() + interval '1 s'
              order by seq
              limit greatest(0, (select least(n - cardinality(first.ids), bulk_n) from p, first))
                for no key update skip locked) as ids),
  k as materialized (
    select p.rate, p.filled_at, p.gap, p.t0,
           first.ids || rest.ids as ids,
           cardinality(first.ids) as ahead,
           case when p.bulk > 0 and cardinality(first.ids) > 0 then
                  least(p.t0, greatest(clock_timestamp(), (
                    select max(slot_at) + p.gap
                      from jobs
                     where jobs.organization_id = the_organization and jobs.pool = the_pool
                       and state = 'queued' and slot_at is not null and class = 0)))
                else p.t0 end as begin_at
      from p, first, rest),
  s as materialized (
    select *, greatest(t0, begin_at + ahead * gap) as rest_at
      from k),
  t as (
    update pools
       set plan_at = coalesce(s.rest_at + (cardinality(s.ids) - s.ahead) * s.gap, pools.plan_at), filled_at = clock_timestamp()
      from s
     where pools.organization_id = the_organization and pools.id = the_pool
       and cardinality(s.ids) > 0
       and (s.rate is not null or s.filled_at is null or s.filled_at < clock_timestamp() - interval '10 s'))
  update jobs j
     set state = 'queued',
         slot_at = x.slot,
         run_at = greatest(j.run_at, x.slot),
         check_at = greatest(j.run_at, x.slot) + interval '5 s'
    from (select u.job_id,
                 case when u.i <= s.ahead then s.begin_at + coalesce((u.i - 1) * s.gap, interval '0')
                      else s.rest_at + coalesce((u.i - 1 - s.ahead) * s.gap, interval '0') end as slot
            from s, unnest(s.ids) with ordinality as u(job_id, i)) x
   where j.organization_id = the_organization and j.id = x.job_id
  returning j.id, j.run, j.queue, j.name, j.organization_id, j.pool,
            greatest(0, extract(epoch from j.run_at - clock_timestamp()) * 1000)::float8;
end $$`;

/** As in 20261121000090-room-of-released. The function without a class stays for processes of the version before. */
const stateOfReleased = `
create function state_of_released(the_organization uuid, the_pool text, the_class smallint, due_at timestamptz, out state text, out slot_at timestamptz)
language plpgsql volatile as $$
begin
  if the_pool is null then
    state := 'queued';
    return;
  end if;
  state := 'waiting';
  if the_class = 1 or due_at > clock_timestamp() then
    return;
  end if;
  if exists (
    select 1
      from jobs w
     where w.organization_id = the_organization and w.pool = the_pool and w.state = 'waiting' and w.class = 0
       and w.seq < (1::bigint << 60)) then
    return;
  end if;
  if exists (
    select 1
      from pools p
     where p.organization_id = the_organization and p.id = the_pool
       and coalesce(p.held_until, '-infinity') <= clock_timestamp()
       and (p.rate is null
            or (coalesce(p.tat, '-infinity') <= clock_timestamp()
                and coalesce(p.plan_at, '-infinity') <= clock_timestamp()))
       and (select count(*)
              from (select 1
                      from jobs q
                     where q.organization_id = the_organization and q.pool = the_pool
                       and q.state = 'queued' and q.slot_at is not null
                     limit 100) c) < least(p.width, 100)) then
    state := 'queued';
    slot_at := clock_timestamp();
  end if;
end $$`;

/** Bulk rows hold places of the pool. A function, so that a claim has no node more: only one that came too early asks. */
const hasBulk = `
create function has_bulk(the_organization uuid, the_pool text) returns boolean
language plpgsql volatile as $$
begin
  return exists (
    select 1
      from jobs
     where jobs.organization_id = the_organization and jobs.pool = the_pool
       and jobs.state = 'queued' and jobs.slot_at is not null and jobs.class = 1);
end $$`;
