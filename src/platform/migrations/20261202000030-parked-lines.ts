import { Migration } from '@mikro-orm/migrations';

/**
 * As in 20261128000000-parked-by-index, where the lines are read with the time of their first row: which line has work is seen there. A condition on
 * `check_at` of the table let each call be planned anew for its moment, which took ten times as long as the call itself.
 */
export class ParkedLines extends Migration {
  override name = '20261202000030-parked-lines';

  override up() {
    this.addSql(handOver);
    // A function made anew has lost its settings.
    this.addSql('alter function hand_over_parked(float8, int) set enable_seqscan = off');
  }

  override down() {
    // What it replaced did the same, slower.
  }
}

/**
 * Gives the queue what is due within 20 s, at a rate for each line, which is an organization in a queue. A line's row of `pools` is named by no job; its
 * `plan_at` is the next free place. What finds no place within the 20 s stays where it is, so that thousands of one line fill no queue and cost
 * nothing until their turn. Place i is the latest of the row's own time and a gap after the place before, which the window says at once: i gaps
 * after the latest `run_at - j gaps` of the rows up to it. A line in other hands is passed over. One that reaches further than any call can make
 * it is by another clock, of a database that has failed over.
 */
const handOver = `
create or replace function hand_over_parked(rate float8, most int)
returns table (id uuid, run int, queue text, name text, organization_id uuid, pool text, delay_ms float8)
language plpgsql volatile as $$
#variable_conflict use_column
declare
  moment timestamptz := clock_timestamp();
  gap interval := interval '1 s' / rate;
  ahead interval := interval '20 s';
  l record;
  free timestamptz;
  given int;
begin
  for l in
    with recursive lines as (
      (select j.organization_id, j.queue, j.check_at
         from jobs j
        where j.state = 'queued' and j.run_at - j.check_at > interval '10 s'
        order by j.organization_id, j.queue, j.check_at
        limit 1)
      union all
      select n.organization_id, n.queue, n.check_at
        from lines s,
             lateral (
               select j.organization_id, j.queue, j.check_at
                 from jobs j
                where j.state = 'queued' and j.run_at - j.check_at > interval '10 s'
                  and (j.organization_id, j.queue) > (s.organization_id, s.queue)
                order by j.organization_id, j.queue, j.check_at
                limit 1) n)
    select s.organization_id, s.queue
      from lines s
     where s.check_at <= moment
  loop
    insert into pools (organization_id, id, width)
    values (l.organization_id, 'later:' || l.queue, 1)
    on conflict do nothing;
    select case when p.plan_at between clock_timestamp() and clock_timestamp() + 3 * ahead then p.plan_at else clock_timestamp() end
      into free
      from pools p
     where p.organization_id = l.organization_id and p.id = 'later:' || l.queue
       for no key update skip locked;
    if not found then
      continue;
    end if;
    return query
    with due as (
      select j.id, j.run_at
        from jobs j
       where j.organization_id = l.organization_id and j.queue = l.queue
         and j.state = 'queued' and j.run_at - j.check_at > interval '10 s' and j.check_at <= moment
       order by j.check_at
       limit least(most, greatest(0, ceil(extract(epoch from clock_timestamp() + ahead - free) * rate)::int))
         for no key update skip locked),
    numbered as (
      select due.id, due.run_at, row_number() over (order by due.run_at, due.id) as i
        from due),
    placed as (
      select n.id,
             greatest(free + (n.i - 1) * gap,
                      max(n.run_at - n.i * gap) over (order by n.i) + n.i * gap) as place
        from numbered n),
    moved as (
      update pools
         set plan_at = (select max(placed.place) + gap from placed)
       where pools.organization_id = l.organization_id and pools.id = 'later:' || l.queue
         and exists (select 1 from placed))
    update jobs j
       set run_at = x.place, check_at = greatest(x.place, clock_timestamp()) + interval '5 s'
      from placed x
     where j.organization_id = l.organization_id and j.id = x.id
    returning j.id, j.run, j.queue, j.name, j.organization_id, j.pool,
              greatest(0, extract(epoch from j.run_at - clock_timestamp()) * 1000)::float8;
    get diagnostics given = row_count;
    most := most - given;
    exit when most <= 0;
  end loop;
end $$`;
