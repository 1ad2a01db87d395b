import type { Em } from '../database/database.ts';
import { query } from '../database/query.ts';
import { firstIdAt } from '../ids.ts';
import { now } from '../time/clock.ts';
import { type After, type Batch, limitOfAge } from './purge.ts';

const dayMs = 24 * 3600 * 1000;
const nil = '00000000-0000-0000-0000-000000000000';
/** An older row has a smaller UUIDv7: the primary key serves as the index by age, one organization after the other. */
const bounds = (days: number, limit: number, after: After = { organization_id: nil, id: nil }) => [
  days,
  limit,
  after.organization_id,
  after.id,
  firstIdAt(now() - days * dayMs),
];
/** `place`: a join with the rows to delete would be planned for any number of them, and might read the whole table. */
const oldest = (table: string) => `
  select a.organization_id, a.id, a.place
    from (select id from organizations where id >= $3::uuid order by id) o,
         lateral (
           select t.organization_id, t.id, t.ctid as place
             from ${table} t
            where t.organization_id = o.id
              and t.id > case when o.id = $3::uuid then $4::uuid else '${nil}' end
              and t.id < $5::uuid
              and t.created_at < ${limitOfAge}
            order by t.id
            limit $2
              for update skip locked) a
   limit $2`;
const lastOf = (rows: string) => `
  (select json_build_object('organization_id', organization_id, 'id', id)
     from ${rows}
    order by organization_id desc, id desc
    limit 1) as last`;

/** A run that lives reads the event that began it and the one it waited for: its texts and conditions, asked again after a wait of a year. */
const readByRun = (event: string, isSet: string) => `
    select o.id
      from old o,
           lateral (
             select 1
               from automation_runs r
              where r.organization_id = o.organization_id and ${event} = o.id
                and ${isSet} is not null and r.state in ('queued', 'running')
              limit 1) u`;

/** SQL: sets of one snapshot. A cursor that had not come to a deleted event is told. One live delivery keeps its event; the locks protect a delivery that is revived meanwhile. */
const purgeEvents = `
  with old as materialized (${oldest('events')}),
  ended as materialized (
    select d.organization_id, d.id, d.event_id
      from old o,
           lateral (
             select *
               from webhook_deliveries d
              where d.organization_id = o.organization_id and d.event_id = o.id
                and d.state in ('succeeded', 'failed', 'cancelled')
                and d.finished_at < ${limitOfAge}
                and not exists (
                  select 1 from jobs j
                   where j.organization_id = d.organization_id and j.subject_id = d.id)
                for update skip locked) d),
  kept as materialized (
    select d.event_id
      from old o,
           lateral (
             select d.id, d.event_id
               from webhook_deliveries d
              where d.organization_id = o.organization_id and d.event_id = o.id
             offset 0) d
      left join ended e on e.id = d.id
     where e.id is null
    union all ${readByRun('r.event_id', 'r.event_id')}
    union all ${readByRun("(r.position->>'event_id')::uuid", "r.position->>'event_id'")}),
  deleted as (
    delete from events
     where ctid = any(array(
       select place
         from old
        where id not in (select event_id from kept)))
    returning organization_id, id, seq, created_at),
  passed as (
    update event_cursors c
       set lost_until = g.created_at
      from (select organization_id, max(seq) as seq, max(created_at) as created_at
              from deleted
             group by organization_id) g
     where c.organization_id = g.organization_id and c.seq < g.seq)
  select (select count(*)::int from old) as read,
         ${lastOf('old')},
         (select count(*)::int from deleted) as events,
         (select count(*)::int from ended join deleted on deleted.id = ended.event_id) as deliveries`;

export async function eventsBatch(em: Em, days: number, limit: number, after?: After): Promise<Batch> {
  const [row] = await query<{ read: number; last: After | null; events: number; deliveries: number }>(
    em,
    purgeEvents,
    bounds(days, limit, after),
  );
  const { read, last, events, deliveries } = row!;
  return { deleted: { events, webhook_deliveries: deliveries }, isLast: read < limit, last: last ?? undefined };
}

/** SQL: a set of the oldest rows that skips locked ones. */
const purgeAttempts = (table: string) => `
  with old as materialized (${oldest(table)}),
  deleted as (
    delete from ${table}
     where ctid = any(array(select place from old))
    returning 1)
  select (select count(*)::int from old) as read,
         ${lastOf('old')},
         (select count(*)::int from deleted) as deleted`;

export const attemptsBatch = (table: 'webhook_attempts' | 'message_attempts') => {
  const statement = purgeAttempts(table);
  return async (em: Em, days: number, limit: number, after?: After): Promise<Batch> => {
    const [row] = await query<{ read: number; last: After | null; deleted: number }>(em, statement, bounds(days, limit, after));
    const { read, last, deleted } = row!;
    return { deleted: { [table]: deleted }, isLast: read < limit, last: last ?? undefined };
  };
};
