import { type Em, query } from '../database.ts';
import { acceptedState, firstCheck, type Handed, handedColumns, handedOf } from '../ledger/accept.ts';

export type NewEvent = {
  id: string;
  organization_id: string;
  type: string;
  subject_type: string;
  subject_id: string;
  data: Record<string, unknown>;
  /** Set: for this endpoint alone, whatever it subscribes to. */
  endpoint_id: string | null;
  is_test: boolean;
  delivery_job_id: string | null;
};

/**
 * Events, a delivery for every endpoint that listens, and each delivery's job: one statement. The lane of an ordered endpoint is
 * `subject:<endpoint>:<subject>`; its lock is the subject's (ledger/locks.ts), which the caller holds. A test is tried once and shows as an operation.
 */
const record = `
  with r as (
    select * from jsonb_to_recordset($1::jsonb) as x(ord int, id uuid, organization_id uuid, type text, subject_type text, subject_id uuid, data jsonb,
      endpoint_id uuid, is_test boolean, delivery_job_id uuid)),
  e as (
    insert into events (id, organization_id, type, subject_type, subject_id, data)
    select id, organization_id, type, subject_type, subject_id, data from r order by ord),
  d as (
    insert into webhook_deliveries (id, organization_id, event_id, endpoint_id, state, next_attempt_at, is_test)
    select uuidv7(), r.organization_id, r.id, w.id, 'pending', clock_timestamp(), r.is_test
      from r join webhook_endpoints w on w.organization_id = r.organization_id
       and (w.id = r.endpoint_id or (r.endpoint_id is null and w.id <> r.subject_id and r.type = any(w.event_types)))
    returning id, organization_id, event_id, endpoint_id),
  n as (
    select o.*, nextval('jobs_seq') as seq, row_number() over (partition by o.lane order by o.ord) as place
      from (select coalesce(r.delivery_job_id, uuidv7()) as job_id, d.id as delivery_id, d.organization_id, r.ord, r.is_test, 'endpoint:' || d.endpoint_id as pool,
                   case when w.ordering = 'per_subject' then 'subject:' || w.id || ':' || r.subject_type || ':' || r.subject_id end as lane
              from d join r on r.id = d.event_id join webhook_endpoints w on w.id = d.endpoint_id order by r.ord) o)
  insert into jobs (id, organization_id, name, queue, payload, subject_type, subject_id, lane, pool, visible, seq, state, check_at)
  select job_id, organization_id, 'webhooks.deliver', 'webhooks', jsonb_build_object('delivery_id', delivery_id), 'webhook_delivery', delivery_id, lane, pool, is_test, seq,
         ${acceptedState}, clock_timestamp() + ${firstCheck}
    from n order by n.seq
  returning ${handedColumns}`;

export async function recordEvents(em: Em, events: NewEvent[]): Promise<Handed> {
  const rows = await query<Parameters<typeof handedOf>[0][number]>(em, record, [
    JSON.stringify(events.map((event, ord) => ({ ord, ...event }))),
  ]);
  return handedOf(rows);
}
