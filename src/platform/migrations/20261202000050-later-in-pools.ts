import { Migration } from '@mikro-orm/migrations';
import { fillPoolWith, isSeqScanOff, nameOfFill } from './20261130000000-classes.ts';

export const bulkPlaces = 'case when rate is null then greatest(1, width - width / 4) else greatest(1, width / 4) end';
const nameOfLet = 'let_parked_into_pools(int)';

/** What many wait for together waits in its pool, in bulk (docs/decisions/0022-parked-work.md). */
export class LaterInPools extends Migration {
  override name = '20261202000050-later-in-pools';

  override up() {
    this.addSql(fillPoolWith(bulkPlaces));
    this.addSql(isSeqScanOff(nameOfFill));
    this.addSql(letIntoPools);
    this.addSql(isSeqScanOff(nameOfLet));
  }

  override down() {
    this.addSql(`drop function ${nameOfLet}`);
    this.addSql(fillPoolWith('greatest(1, width / 4)'));
    this.addSql(isSeqScanOff(nameOfFill));
  }
}

/**
 * Of the queue `automations`: rows whose time has come while they were parked, because their line had no place for them. They wait in their pool like
 * new ones, and behind these. Answers how many there were. A line is read with the time of its first row, as in 20261202000030-parked-lines.
 */
const letIntoPools = `
create function let_parked_into_pools(most int) returns int
language plpgsql volatile as $$
#variable_conflict use_column
declare
  looked_at timestamptz := clock_timestamp() - interval '20 s';
  l record;
  given int;
  let_in int := 0;
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
    select s.organization_id
      from lines s
     where s.queue = 'automations' and s.check_at <= looked_at
  loop
    update jobs
       set state = 'waiting', class = 1
     where ctid = any(array(
       select j.ctid
         from jobs j
        where j.organization_id = l.organization_id and j.queue = 'automations' and j.pool is not null
          and j.state = 'queued' and j.run_at - j.check_at > interval '10 s' and j.check_at <= looked_at
        order by j.check_at
        limit most
          for no key update skip locked));
    get diagnostics given = row_count;
    let_in := let_in + given;
    most := most - given;
    exit when most <= 0;
  end loop;
  return let_in;
end $$`;
