import type { Own } from '../database/own.ts';
import type { RowOf } from '../database/tables.ts';
import { dispatchedColumns, firstCheck, slotOfNew, stateOfNew } from '../ledger/accept.ts';
import type { PartText } from '../ledger/part.ts';
import type { Event } from './event.entity.ts';

export type NewEvent = RowOf<
  typeof Event,
  'id' | 'organization_id' | 'type' | 'subject_type' | 'subject_id' | 'data' | 'cause' | 'chain'
> & {
  /** For this endpoint only, whatever it subscribes to. */
  endpoint_id: string | null;
  is_test: boolean;
  delivery_job_id: string | null;
  /** False: a look just before found no endpoint that listens. */
  is_heard: boolean;
};

/** Endpoint `e` listens to `type`, an expression. Without a wildcard `event_prefixes` is null: one look at a null, no row and no node more. */
export const listensTo = (type: string, e = 'e') => `(${type} = any(${e}.event_types) or ${type} ^@ any(${e}.event_prefixes))`;

/**
 * A live rule begins with such an event, or a run waits for one; `types`: an expression behind `event_type`. Sub-selects, not `exists`: each is one look in
 * a partial index, whatever the planner thinks of the tables.
 */
const isAwaited = (organization: string, types: string) => `
  ((select 1
      from automation_rules a
     where a.organization_id = ${organization} and a.event_type ${types} and a.status = 'live'
     limit 1) is not null
   or (select 1
         from automation_waits a
        where a.organization_id = ${organization} and a.event_type ${types}
        limit 1) is not null)`;

/** Whether an endpoint, a rule or a run of the organization, an expression, listens to one of `types`; for the look of a write. */
export const isHeard = (organization: string, ...types: string[]) => `
  (exists (
     select 1
       from webhook_endpoints e
      where e.organization_id = ${organization}
        and (${types.map((type) => listensTo(`'${type}'::text`)).join(' or ')}))
   or ${isAwaited(organization, `in (${types.map((type) => `'${type}'`).join(', ')})`)})`;

/** The same of one type, which is an expression too: each look is one in an index. */
const isListenedTo = (organization: string, type: string) => `
  ((select 1
      from webhook_endpoints e
     where e.organization_id = ${organization} and ${listensTo(type)}
     limit 1) is not null
   or ${isAwaited(organization, `= ${type}`)})`;

const heardStatement = `
  select x.type
    from unnest($2::text[]) as x(type)
   where ${isListenedTo('$1', 'x.type')}`;

/** Those of `types` that somebody listens to, for the look of a write. */
export async function heardAmong(own: Pick<Own, 'sql'>, types: string[]): Promise<Set<string>> {
  const rows = await own.sql<{ type: string }>(heardStatement, [types]);
  return new Set(rows.map(({ type }) => type));
}

/**
 * Whether somebody listens now, when the events are written: between the look and this lies the wait for the subject's lock. From the reply on that an
 * endpoint was made, or a rule published, no event is written unheard. Each look is one in an index, as above.
 */
export const isStillUnheard: PartText = (events) => `
  not exists (
    select 1
      from jsonb_to_recordset(${events}::jsonb) as h(organization_id uuid, type text)
     where ${isListenedTo('h.organization_id', 'h.type')})`;

/** SQL: events that nobody listens to, without the sets of deliveries and evaluations: half of the ledger's plan (bench: post). */
export const recordUnheardPart =
  (condition: string): PartText =>
  (events) =>
    `
  recorded as (
    insert into events (id, organization_id, type, subject_type, subject_id, data, cause, chain)
    select id, organization_id, type, subject_type, subject_id, data, cause, chain
      from jsonb_to_recordset(${events}::jsonb)
        as x(ord int, id uuid, organization_id uuid, type text, subject_type text, subject_id uuid, data jsonb,
             cause text, chain uuid[])${condition}
     order by ord)`;

/**
 * SQL: three dependent sets (decisions/0008). The caller holds the subjects' locks, which are those of the lanes too. `offset 0` keeps the index in use.
 * An event that a rule or a run listens to gets one evaluation, in the order of its subject's events (decisions/0035).
 */
export const recordPart =
  (condition: string): PartText =>
  (events) =>
    `
  new_events as (
    select *
      from jsonb_to_recordset(${events}::jsonb)
        as x(ord int, id uuid, organization_id uuid, type text, subject_type text, subject_id uuid, data jsonb,
             cause text, chain uuid[], endpoint_id uuid, is_test boolean, delivery_job_id uuid)${condition}),
  recorded as (
    insert into events (id, organization_id, type, subject_type, subject_id, data, cause, chain)
    select id, organization_id, type, subject_type, subject_id, data, cause, chain
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
  event_jobs as (
    select o.*, nextval('jobs_seq') as seq, 0 as delay_ms, row_number() over (partition by o.lane order by o.ord) as place
      from (select coalesce(r.delivery_job_id, uuidv7()) as job_id, 'webhooks.deliver' as name, 'webhooks' as queue,
                   'webhook_delivery' as subject_type, 'delivery_id' as subject, d.id as subject_id, d.organization_id,
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
            union all
            select uuidv7(), 'automation.evaluate', 'automations', 'event', 'event_id', r.id, r.organization_id,
                   r.ord, false, 'automation:' || r.organization_id,
                   'subject:automation:' || r.subject_type || ':' || r.subject_id
              from new_events r
             where r.endpoint_id is null and ${isAwaited('r.organization_id', '= r.type')}
             order by ord) o),
  announced as (
    insert into jobs (id, organization_id, name, queue, payload, subject_type, subject_id,
                      lane, pool, visible, seq, state, slot_at, check_at)
    select job_id, organization_id, name, queue, jsonb_build_object(subject, subject_id),
           subject_type, subject_id, lane, pool, is_test, seq,
           s.state, ${slotOfNew},
           clock_timestamp() + ${firstCheck}
      from event_jobs n, ${stateOfNew}
     order by n.seq
    returning ${dispatchedColumns})`;
