import { Migration } from '@mikro-orm/migrations';

/** A row that is released by the end before it is queued at once where its pool has room (docs/decisions/0016-one-round-trip.md). */
export class RoomOfReleased extends Migration {
  override name = '20261121000090-room-of-released';

  override up() {
    this.addSql(stateOfReleased);
    this.addSql('alter function state_of_released(uuid, text, timestamptz) set enable_seqscan = off');
  }

  override down() {
    this.addSql('drop function state_of_released(uuid, text, timestamptz)');
  }
}

/**
 * The rule of a new row (`hasRoom` in src/platform/ledger/accept.ts). Not in the statement that ends a run: starting the nodes of this look would
 * cost every end, and most release nothing. Volatile, so that it sees the end before: the room that the ended row had is free.
 */
const stateOfReleased = `
create function state_of_released(the_organization uuid, the_pool text, due_at timestamptz, out state text, out slot_at timestamptz)
language plpgsql volatile as $$
begin
  if the_pool is null then
    state := 'queued';
    return;
  end if;
  state := 'waiting';
  if due_at > clock_timestamp() then
    return;
  end if;
  if exists (
    select 1
      from jobs w
     where w.organization_id = the_organization and w.pool = the_pool and w.state = 'waiting'
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
