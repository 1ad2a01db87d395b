import type pg from 'pg';
import { endpointPool } from '../src/platform/ledger/pools.ts';

type Of = { organizationId: string; endpointId: string };

/** What has happened at an endpoint in the last hours: $2, `count` ($3) events, each with a delivery made then. */
const past = (delivery: string) => `
  with e as materialized (
    select uuidv7(at - clock_timestamp()) as event_id, uuidv7(at - clock_timestamp()) as delivery_id, uuidv7() as subject_id, at
      from generate_series(1, $3::int) n,
   lateral (select clock_timestamp() - interval '20 h' * (1 - n / $3::float8) - interval '1 min' as at) t),
  new_events as (
    insert into events (id, organization_id, type, subject_type, subject_id, data, created_at)
    select event_id, $1, 'message.sent', 'message', subject_id,
           jsonb_build_object('message_id', subject_id, 'conversation_id', subject_id, 'channel_id', subject_id), at
      from e),
  ${delivery}`;

const tries = 10;

/** As the product leaves a delivery whose tries are spent; of its attempts the log still has the last. */
const failedStatement = past(`
  new_deliveries as (
    insert into webhook_deliveries (id, organization_id, event_id, endpoint_id, state, attempts, created_at, finished_at)
    select delivery_id, $1, event_id, $2, 'failed', ${tries}, at, at
      from e),
  new_attempts as (
    insert into webhook_attempts (
      id, organization_id, delivery_id, endpoint_id, number, status, duration_ms, error_class, error, response_head,
      phase, created_at)
    select uuidv7(at - clock_timestamp()), $1, delivery_id, $2, ${tries}, 503, 40, 'http', 'HTTP 503', '', 'response', at
      from e)
  insert into jobs (id, organization_id, name, queue, payload, subject_type, subject_id, pool, state, run, attempts,
                    run_at, check_at, error, created_at, finished_at)
  select uuidv7(at - clock_timestamp()), $1, 'webhooks.deliver', 'webhook-retries',
         jsonb_build_object('delivery_id', delivery_id), 'webhook_delivery', delivery_id, $4, 'failed', ${tries}, ${tries},
         at, at, '{"code": "http", "message": "HTTP 503", "provider_code": "503"}', at, at
    from e`);

/** `count` deliveries of the last hours, all of them failed. */
export async function insertFailed(sql: pg.Pool, { organizationId, endpointId }: Of, count: number) {
  await sql.query(failedStatement, [organizationId, endpointId, count, endpointPool(endpointId)]);
  await sql.query('vacuum analyze events, webhook_deliveries, webhook_attempts, jobs');
}

/** As the product leaves a delivery whose second try has failed: a row without room, which the queue gets shortly before it is due. */
const retriesStatement = past(`
  due as materialized (
    select *, clock_timestamp() + ($5 + random() * $6) * interval '1 ms' as due
      from e),
  new_deliveries as (
    insert into webhook_deliveries (id, organization_id, event_id, endpoint_id, state, attempts, created_at, next_attempt_at)
    select delivery_id, $1, event_id, $2, 'pending', 2, at, due
      from due)
  insert into jobs (id, organization_id, name, queue, payload, subject_type, subject_id, pool, state, run, attempts,
                    run_at, check_at, created_at)
  select uuidv7(), $1, 'webhooks.deliver', 'webhook-retries', jsonb_build_object('delivery_id', delivery_id),
         'webhook_delivery', delivery_id, $4, 'queued', 3, 2, due, due - interval '20 s', at
    from due`);

/** `count` deliveries whose third try is due in `delayMs` and a random part of `withinMs`, as the jitter has it. */
export async function insertRetries(
  sql: pg.Pool,
  { organizationId, endpointId }: Of,
  count: number,
  { delayMs, withinMs }: { delayMs: number; withinMs: number },
) {
  await sql.query(retriesStatement, [organizationId, endpointId, count, endpointPool(endpointId), delayMs, withinMs]);
  // What has waited for minutes has been vacuumed: that is no part of the flood.
  await sql.query('vacuum analyze events, webhook_deliveries, jobs');
}
