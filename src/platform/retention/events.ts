import type { Em } from '../database/database.ts';
import { query } from '../database/query.ts';
import { firstIdAt } from '../ids.ts';
import { now } from '../time/clock.ts';
import { type Batch, limitOfAge } from './purge.ts';

const dayMs = 24 * 3600 * 1000;
const nil = '00000000-0000-0000-0000-000000000000';
/** An older row has a smaller UUIDv7: the primary key serves as the index by age. */
const bounds = (days: number, limit: number, after = nil) => [days, limit, after, firstIdAt(now() - days * dayMs)];
const aged = `
  id > $3::uuid and id < $4::uuid and created_at < ${limitOfAge}
  order by id
  limit $2
  for update skip locked`;

/** SQL: three sets, one snapshot. One live delivery keeps its event; the locks protect a delivery that is revived meanwhile. */
const purgeEvents = `
  with old as materialized (select id from events where ${aged}),
  ended as materialized (
    select d.id, d.event_id
      from webhook_deliveries d
     where d.event_id = any(array(select id from old))
       and d.state in ('succeeded', 'failed')
       and d.finished_at < ${limitOfAge}
       and not exists (select 1 from jobs j where j.subject_id = d.id)
       for update of d skip locked),
  kept as (
    select d.event_id
      from webhook_deliveries d
      left join ended e on e.id = d.id
     where d.event_id = any(array(select id from old)) and e.id is null),
  deleted as (
    delete from events
     where id = any(array(select id from old except select event_id from kept))
    returning id)
  select (select count(*)::int from old) as read,
         (select id from old order by id desc limit 1) as last,
         (select count(*)::int from deleted) as events,
         (select count(*)::int from ended join deleted on deleted.id = ended.event_id) as deliveries`;

export async function eventsBatch(em: Em, days: number, limit: number, after?: string): Promise<Batch> {
  const [row] = await query<{ read: number; last: string | null; events: number; deliveries: number }>(
    em,
    purgeEvents,
    bounds(days, limit, after),
  );
  const { read, last, events, deliveries } = row!;
  return { deleted: { events, webhook_deliveries: deliveries }, isLast: read < limit, last: last ?? undefined };
}

/** SQL: a set of the oldest rows that skips locked ones. */
const purgeAttempts = `
  with old as materialized (select id from webhook_attempts where ${aged}),
  deleted as (
    delete from webhook_attempts
     where id = any(array(select id from old))
    returning 1)
  select (select id from old order by id desc limit 1) as last,
         (select count(*)::int from deleted) as deleted`;

export async function attemptsBatch(em: Em, days: number, limit: number, after?: string): Promise<Batch> {
  const [row] = await query<{ last: string | null; deleted: number }>(em, purgeAttempts, bounds(days, limit, after));
  const { last, deleted } = row!;
  return { deleted: { webhook_attempts: deleted }, isLast: deleted < limit, last: last ?? undefined };
}
