import type { House } from '../house.ts';

type Sql = House['sql'];
type Ids = { organizationId: string; endpointId: string };
type Given = {
  count?: number;
  /** `later`: pending, for a later try in an hour; `purged`: failed, and so long ago that its job is gone. */
  state?: 'failed' | 'purged' | 'succeeded' | 'cancelled' | 'waiting' | 'later';
  type?: string;
  /** The same subject for all of them, and the lane of an ordered endpoint. */
  subjectId?: string;
  ageMinutes?: number;
  isTest?: boolean;
};

const jobStates = { failed: 'failed', purged: null, succeeded: null, cancelled: null, waiting: 'waiting', later: 'queued' };
const isPending = { failed: false, purged: false, succeeded: false, cancelled: false, waiting: true, later: true };

/** Events with their deliveries to one endpoint, and the jobs of these, as the engine leaves them. The ids, oldest first. */
export async function deliveries(sql: Sql, { organizationId, endpointId }: Ids, given: Given = {}): Promise<string[]> {
  const { count = 1, state = 'failed', type = 'message.sent', subjectId = null, ageMinutes = 1, isTest = false } = given;
  const delivered = isPending[state] ? 'pending' : state === 'purged' ? 'failed' : state;
  const rows = await sql<{ id: string }>(
    `with made as materialized (
       select uuidv7($7::float8 * interval '-1 min') as event_id, uuidv7($7::float8 * interval '-1 min') as delivery_id,
              coalesce($5::uuid, uuidv7()) as subject_id, n
         from generate_series(1, $3::int) n),
     e as (
       insert into events (id, organization_id, type, subject_type, subject_id, data, created_at)
       select event_id, $1::uuid, $4::text, 'message', subject_id, '{}', clock_timestamp() - $7::float8 * interval '1 min' from made order by n),
     d as (
       insert into webhook_deliveries (id, organization_id, event_id, endpoint_id, state, attempts, next_attempt_at, is_test, finished_at, created_at)
       select delivery_id, $1::uuid, event_id, $2::uuid, $6::text, case when $8::boolean then 0 else 10 end,
              case when $8::boolean then clock_timestamp() end, $10::boolean, case when not $8::boolean then clock_timestamp() end,
              clock_timestamp() - $7::float8 * interval '1 min'
         from made order by n)
     , j as (
       insert into jobs (id, organization_id, name, queue, payload, subject_type, subject_id, lane, pool, state, attempts, run_at, check_at, error, finished_at)
       select uuidv7(), $1::uuid, 'webhooks.deliver', 'webhook-retries', jsonb_build_object('delivery_id', delivery_id), 'webhook_delivery', delivery_id,
              case when w.ordering = 'per_subject' then 'subject:' || w.id || ':message:' || subject_id end, 'endpoint:' || $2::text, $9::text,
              case when $9::text = 'waiting' then 0 else 3 end,
              clock_timestamp() + case when $9::text = 'queued' then interval '1 hour' else interval '0' end,
              clock_timestamp() + interval '1 hour', case when $9::text = 'failed' then '{"code": "http", "message": "500"}'::jsonb end,
              case when $9::text = 'failed' then clock_timestamp() end
         from made, webhook_endpoints w where w.id = $2::uuid and $9::text is not null order by n)
     select delivery_id as id from made order by n`,
    [organizationId, endpointId, count, type, subjectId, delivered, ageMinutes, isPending[state], jobStates[state], isTest],
  );
  return rows.map(({ id }) => id);
}
