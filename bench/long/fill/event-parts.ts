import type { Shares } from './shares.ts';

const kinds = `array['message.new', 'message.sent', 'message.status_update', 'message.status_update']`;
const tries = 8;

/** Parts of the chunk's statement: `e` is an event with its delivery. */
export const eventParts = ({ eventsPerMessage, failedDeliveries }: Shares) => `
  e as materialized (
    select m.*, k, m.at + k * interval '2 s' as event_at,
           uuidv7(m.at + k * interval '2 s' - clock_timestamp()) as event_id,
           uuidv7(m.at + k * interval '2 s' - clock_timestamp()) as delivery_id,
           random() < ${failedDeliveries} as has_failed
      from m, generate_series(1, ${eventsPerMessage}) k),
  new_events as (
    insert into events (id, organization_id, type, subject_type, subject_id, data, created_at)
    select event_id, organization_id, (${kinds})[1 + k % 4], 'conversation', conversation_id,
           jsonb_build_object('message_id', id, 'conversation_id', conversation_id,
                              'channel_id', channel_id, 'status', status), event_at
      from e),
  new_deliveries as (
    insert into webhook_deliveries (id, organization_id, event_id, endpoint_id, state, attempts, created_at, finished_at)
    select delivery_id, organization_id, event_id, endpoint_id,
           case when has_failed then 'failed' else 'succeeded' end, case when has_failed then ${tries} else 1 end,
           event_at, event_at + interval '1 s'
      from e),
  new_attempts as (
    insert into webhook_attempts (id, organization_id, delivery_id, endpoint_id, number, status, duration_ms, error_class, error,
                                  response_head, created_at)
    select uuidv7(event_at - clock_timestamp()), organization_id, delivery_id, endpoint_id, number,
           case when has_failed then 503 else 200 end, 40 + n % 100, case when has_failed then 'http' end,
           case when has_failed then 'The receiver answered 503' end, 'ok', event_at + interval '1 s'
      from e, generate_series(1, case when has_failed then ${tries} else 1 end) number)`;
