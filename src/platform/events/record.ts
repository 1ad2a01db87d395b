import type { RowOf } from '../database/tables.ts';
import { dispatchedColumns, firstCheck, slotOfNew, stateOfNew } from '../ledger/accept.ts';
import type { PartText } from '../ledger/part.ts';
import type { Event } from './event.entity.ts';

export type NewEvent = RowOf<typeof Event, 'id' | 'organization_id' | 'type' | 'subject_type' | 'subject_id' | 'data'> & {
  /** For this endpoint only, whatever it subscribes to. */
  endpoint_id: string | null;
  is_test: boolean;
  delivery_job_id: string | null;
  /** False: a look just before found no endpoint that listens. */
  is_heard: boolean;
};

/** Endpoint `e` listens to `type`, an expression. Without a wildcard `event_prefixes` is null: one look at a null, no row and no node more. */
export const listensTo = (type: string, e = 'e') => `(${type} = any(${e}.event_types) or ${type} ^@ any(${e}.event_prefixes))`;

/** Whether an endpoint of the organization, an expression, listens to one of `types`; for the look of a write. */
export const isHeard = (organization: string, ...types: string[]) => `
  exists (
    select 1
      from webhook_endpoints e
     where e.organization_id = ${organization}
       and (${types.map((type) => listensTo(`'${type}'::text`)).join(' or ')}))`;

/** SQL: events that no endpoint listens to, without the sets of deliveries: half of the ledger's plan (bench: post). */
export const recordUnheardPart =
  (condition: string): PartText =>
  (events) =>
    `
  recorded as (
    insert into events (id, organization_id, type, subject_type, subject_id, data)
    select id, organization_id, type, subject_type, subject_id, data
      from jsonb_to_recordset(${events}::jsonb)
        as x(ord int, id uuid, organization_id uuid, type text, subject_type text, subject_id uuid, data jsonb)${condition}
     order by ord)`;

/** SQL: three dependent sets (decisions/0008). The caller holds the subjects' locks. `offset 0` keeps the index in use. */
export const recordPart =
  (condition: string): PartText =>
  (events) =>
    `
  new_events as (
    select *
      from jsonb_to_recordset(${events}::jsonb)
        as x(ord int, id uuid, organization_id uuid, type text, subject_type text, subject_id uuid, data jsonb,
             endpoint_id uuid, is_test boolean, delivery_job_id uuid)${condition}),
  recorded as (
    insert into events (id, organization_id, type, subject_type, subject_id, data)
    select id, organization_id, type, subject_type, subject_id, data
      from new_events
     order by ord),
  new_deliveries as (
    insert into webhook_deliveries (id, organization_id, event_id, endpoint_id, state, next_attempt_at, is_test)
    select uuidv7(), r.organization_id, r.id, w.id, 'pending', clock_timestamp(), r.is_test
      from new_events r,
           lateral (
             select e.id
               from webhook_endpoints e
              where e.organization_id = r.organization_id
                and (e.id = r.endpoint_id
                     or (r.endpoint_id is null and e.id <> r.subject_id and ${listensTo('r.type')}))
             offset 0) w
    returning id, organization_id, event_id, endpoint_id),
  delivery_jobs as (
    select o.*, nextval('jobs_seq') as seq, 0 as delay_ms, row_number() over (partition by o.lane order by o.ord) as place
      from (select coalesce(r.delivery_job_id, uuidv7()) as job_id, d.id as delivery_id, d.organization_id,
                   r.ord, r.is_test, 'endpoint:' || d.endpoint_id as pool,
                   case when w.ordering = 'per_subject'
                        then 'subject:' || w.id || ':' || r.subject_type || ':' || r.subject_id end as lane
              from new_deliveries d
              join new_events r on r.organization_id = d.organization_id and r.id = d.event_id,
                   lateral (
                     select e.id, e.ordering
                       from webhook_endpoints e
                      where e.organization_id = d.organization_id and e.id = d.endpoint_id
                     offset 0) w
             order by r.ord) o),
  announced as (
    insert into jobs (id, organization_id, name, queue, payload, subject_type, subject_id,
                      lane, pool, visible, seq, state, slot_at, check_at)
    select job_id, organization_id, 'webhooks.deliver', 'webhooks', jsonb_build_object('delivery_id', delivery_id),
           'webhook_delivery', delivery_id, lane, pool, is_test, seq,
           s.state, ${slotOfNew},
           clock_timestamp() + ${firstCheck}
      from delivery_jobs n, ${stateOfNew}
     order by n.seq
    returning ${dispatchedColumns})`;
