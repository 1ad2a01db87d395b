import { days } from '../sizes.ts';
import { type Shares, within } from './shares.ts';

const text = `'A message as people write them, of some words and no more: number ' || n || repeat(' and so on', 1 + n % 7)`;
const failure = `'{"code": "provider_error", "provider_code": "131000", "message": "Something went wrong"}'::jsonb`;
const outcomes = `array['sent', 'delivered', 'delivered', 'delivered', 'read', 'read', 'read', 'read']`;

/** Parts of the chunk's statement: `m` is a message with its person, of whom `drawn` says which; six of ten went out. */
export const messageParts = ({ failedMessages }: Shares) => `
  drawn as materialized (
    select n, 1 + floor(random() * $4)::int as person, random() as r, random() as s,
           clock_timestamp() - (1 - n::float8 / $3) * ${days.all} * interval '1 day' as at
      from generate_series($1::int, $2::int) n),
  m as materialized (
    select d.n, d.at, d.s, uuidv7(d.at - clock_timestamp()) as id,
           p.organization_id, p.channel_id, p.contact_id, p.conversation_id, p.phone,
           o.endpoints[1 + d.n % cardinality(o.endpoints)] as endpoint_id,
           case when d.r < 0.4 then 'received'
                when d.s < ${failedMessages} then 'failed'
                else (${outcomes})[1 + d.n % 8] end as status
      from drawn d
      join fill.people p on p.n = d.person
      join fill.organizations o on o.n = p.organization),
  new_messages as (
    insert into messages (id, organization_id, channel_id, conversation_id, contact_id, direction, type, status,
                          to_phone, from_phone, content, provider_message_id, provider_at, failure,
                          created_at, updated_at)
    select id, organization_id, channel_id, conversation_id, contact_id,
           case status when 'received' then 'inbound' else 'outbound' end, 'text', status,
           case status when 'received' then '' else phone end, case status when 'received' then phone else '' end,
           jsonb_build_object('body', ${text}), case when status <> 'failed' then 'wamid.' || id end, at,
           case status when 'failed' then ${failure} end, at, at
      from m),
  new_replies as (
    insert into idempotency_keys (organization_id, method, path, key, body_hash, status, reply, created_at)
    select organization_id, 'POST', '/v1/messages', 'filled-' || n, sha256(id::text::bytea), 201,
           format('{"data":{"id":"%s","channel_id":"%s","status":"queued","content":{"body":"%s"}}}',
                  id, channel_id, ${text}), at
      from m
     where status <> 'received' and ${within(days.day)})`;
