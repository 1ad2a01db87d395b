import { days, type Sizes } from '../sizes.ts';

/** How many rows there are of each for a message or an event. */
export function sharesOf({ messages, events, failed }: Sizes) {
  return {
    eventsPerMessage: Math.max(1, Math.round(events / messages)),
    failedDeliveries: (0.55 * failed) / events,
    // Of the messages that went out: six of ten.
    failedMessages: (0.25 * failed) / (0.6 * messages),
    brokenBodies: (0.1 * failed) / messages,
    failedOthers: (0.1 * failed) / messages,
    doneOperations: (0.05 * failed) / messages,
  };
}

const kinds = `array['message.new', 'message.sent', 'message.status_update', 'message.status_update']`;
const old = (span: number) => `at > now() - interval '1 day' * ${span}`;
const text = `'A message as people write them, of some words and no more: number ' || n || repeat(' and so on', 1 + n % 7)`;
const jobColumns =
  'id, organization_id, name, queue, payload, subject_type, subject_id, lane, pool, state, attempts, run_at, check_at, error, visible, created_at, finished_at';
const jobTimes = `at, at, '{"code": "provider_error", "message": "The provider answered 500 and would not say why"}'::jsonb`;

/**
 * Messages $1 to $2 of $3, the last one now, with all that each leaves behind: events, deliveries, attempts, bodies of the provider, stored
 * replies, failed jobs and operations. Ids are by their time. $4: the people.
 */
export function chunkStatement(sizes: Sizes): string {
  const share = sharesOf(sizes);
  return `
  with drawn as materialized (
    select n, 1 + floor(random() * $4)::int as person, random() as r, random() as s,
           clock_timestamp() - (1 - n::float8 / $3) * ${days.all} * interval '1 day' as at
      from generate_series($1::int, $2::int) n),
  m as materialized (
    select d.n, d.at, d.s, uuidv7(d.at - clock_timestamp()) as id, p.organization_id, p.channel_id, p.contact_id, p.conversation_id, p.phone,
           o.endpoints[1 + d.n % cardinality(o.endpoints)] as endpoint_id,
           case when d.r < 0.4 then 'received' when d.s < ${share.failedMessages} then 'failed'
                else (array['sent', 'delivered', 'delivered', 'delivered', 'read', 'read', 'read', 'read'])[1 + d.n % 8] end as status
      from drawn d join fill.people p on p.n = d.person join fill.organizations o on o.n = p.organization),
  new_messages as (
    insert into messages (id, organization_id, channel_id, conversation_id, contact_id, direction, type, status, to_phone, from_phone, content,
                          provider_message_id, provider_at, failure, created_at, updated_at)
    select id, organization_id, channel_id, conversation_id, contact_id, case status when 'received' then 'inbound' else 'outbound' end, 'text', status,
           case status when 'received' then '' else phone end, case status when 'received' then phone else '' end,
           jsonb_build_object('body', ${text}), case when status <> 'failed' then 'wamid.' || id end, at,
           case status when 'failed' then '{"code": "provider_error", "provider_code": "131000", "message": "Something went wrong"}'::jsonb end, at, at
      from m),
  e as materialized (
    select m.*, k, m.at + k * interval '2 s' as event_at, uuidv7(m.at + k * interval '2 s' - clock_timestamp()) as event_id,
           uuidv7(m.at + k * interval '2 s' - clock_timestamp()) as delivery_id, random() < ${share.failedDeliveries} as has_failed
      from m, generate_series(1, ${share.eventsPerMessage}) k),
  new_events as (
    insert into events (id, organization_id, type, subject_type, subject_id, data, created_at)
    select event_id, organization_id, (${kinds})[1 + k % 4], 'conversation', conversation_id,
           jsonb_build_object('message_id', id, 'conversation_id', conversation_id, 'channel_id', channel_id, 'status', status), event_at
      from e),
  new_deliveries as (
    insert into webhook_deliveries (id, organization_id, event_id, endpoint_id, state, attempts, created_at, finished_at)
    select delivery_id, organization_id, event_id, endpoint_id, case when has_failed then 'failed' else 'succeeded' end,
           case when has_failed then 8 else 1 end, event_at, event_at + interval '1 s' from e),
  new_attempts as (
    insert into webhook_attempts (id, organization_id, delivery_id, number, status, duration_ms, error_class, error, response_head, created_at)
    select uuidv7(event_at - clock_timestamp()), organization_id, delivery_id, number, case when has_failed then 503 else 200 end, 40 + n % 100,
           case when has_failed then 'http' end, case when has_failed then 'The receiver answered 503' end, 'ok', event_at + interval '1 s'
      from e, generate_series(1, case when has_failed then 8 else 1 end) number),
  bodies as materialized (
    select m.*, uuidv7(at - clock_timestamp()) as body_id, k = 1 and s > 1 - ${share.brokenBodies} as is_broken
      from m, generate_series(1, 2) k where ${old(days.week)} or (k = 1 and s > 1 - ${share.brokenBodies})),
  new_bodies as (
    insert into provider_webhooks (id, organization_id, channel_id, body, state, received_at, applied_at)
    select body_id, organization_id, channel_id,
           convert_to(format('{"object":"whatsapp_business_account","entry":[{"id":"%s","changes":[{"field":"messages","value":{"statuses":[{"id":"wamid.%s","status":"delivered","recipient_id":"%s","pricing":{"billable":true,"pricing_model":"PMP","category":"utility"}}],"metadata":{"phone_number_id":"%s"}}}]}]}', channel_id, id, phone, channel_id), 'UTF8'),
           case when is_broken then 'broken' else 'applied' end, at, case when not is_broken then at + interval '1 s' end from bodies),
  new_statuses as (
    insert into unmatched_statuses (id, organization_id, channel_id, provider_message_id, status, state, received_at)
    select uuidv7(at - clock_timestamp()), organization_id, channel_id, 'wamid.' || id, '{"status": "delivered"}', 'matched', at
      from m where n % 50 = 0 and ${old(days.week)}),
  new_replies as (
    insert into idempotency_keys (organization_id, method, path, key, body_hash, status, reply, created_at)
    select organization_id, 'POST', '/v1/messages', 'filled-' || n, sha256(id::text::bytea), 201,
           format('{"data":{"id":"%s","channel_id":"%s","status":"queued","content":{"body":"%s"}}}', id, channel_id, ${text}), at
      from m where status <> 'received' and ${old(days.day)})
  insert into jobs (${jobColumns})
  select uuidv7(at - clock_timestamp()), organization_id, 'webhooks.deliver', 'webhooks', jsonb_build_object('delivery_id', delivery_id), 'webhook_delivery', delivery_id,
         null, 'endpoint:' || endpoint_id, 'failed', 8, ${jobTimes}, false, at, event_at + interval '1 s' from e where has_failed
  union all
  select uuidv7(at - clock_timestamp()), organization_id, 'messages.send', 'messages', jsonb_build_object('message_id', id), 'message', id,
         'conversation:' || conversation_id, 'channel:' || channel_id, 'failed', 6, ${jobTimes}, false, at, at + interval '1 s' from m where status = 'failed'
  union all
  select uuidv7(at - clock_timestamp()), organization_id, 'provider-webhooks.apply', 'default', jsonb_build_object('webhook_id', body_id), 'provider_webhook', body_id,
         null, null, 'failed', 6, ${jobTimes}, false, at, at + interval '1 s' from bodies where is_broken
  union all
  select uuidv7(at - clock_timestamp()), organization_id, 'templates.sync', 'default', jsonb_build_object('channel_id', channel_id), 'channel', channel_id,
         null, null, x.state, 6, ${jobTimes}, true, at, at + interval '1 s'
    from m, lateral (values ('failed', s < ${share.failedOthers}), ('done', s < ${share.doneOperations * (days.all / days.week)} and ${old(days.week)})) as x(state, is_one)
   where x.is_one`;
}
