import { uuidv7 } from '../../../src/platform/ids.ts';
import { channel } from '../factories/channel.ts';
import { contact } from '../factories/contact.ts';
import { conversation } from '../factories/conversation.ts';
import { endpoint } from '../factories/endpoint.ts';
import { person } from '../factories/person.ts';
import type { House } from '../house.ts';
import { automationRows } from './automation-rows.ts';
import { campaignRows } from './campaign-rows.ts';
import { bookingRows, catalogueRows, discountRows, orderRows, paymentRows, shippingRows } from './commerce-rows.ts';
import { endedCampaignRows } from './ended-campaign-rows.ts';
import { fedCampaignRows } from './fed-campaign-rows.ts';

export type Filled = Awaited<ReturnType<typeof filled>>;

/** One organization with a few thousand rows in each table that grows, 300 others with people, and statistics of them. */
export async function filled(house: House) {
  const own = house.organizationId;
  const em = house.em();
  const made = await conversation(em, own);
  const ids = {
    own,
    messageId: uuidv7(),
    conversationId: made.id,
    channelId: made.channel.id,
    secondChannelId: (await channel(em, own)).id,
    contactId: made.contact.id,
    otherId: (await contact(em, own)).id,
    userId: (await person(em, own)).userId,
    endpointId: (await endpoint(house.ledger.transact, own)).id,
  };
  for (const statement of crmRows(own)) await house.sql(statement);
  for (const [insert, select] of Object.entries(rows(ids)))
    await house.sql(
      `insert into ${insert} select ${select} from generate_series(1, ${insert.startsWith('contacts') ? 20_000 : 3_000}) n`,
    );
  const orders = [...orderRows(own, ids.contactId), ...paymentRows()];
  const commerce = [
    ...catalogueRows(own),
    ...shippingRows(own, ids.otherId),
    ...orders,
    ...discountRows(ids.contactId),
    ...bookingRows(own, ids),
  ];
  for (const statement of [...following(ids), ...commerce, ...campaignRows(own, ids)]) await house.sql(statement);
  for (const statement of automationRows(own, ids)) await house.sql(statement);
  for (const statement of endedCampaignRows(own, ids)) await house.sql(statement);
  for (const statement of fedCampaignRows(own, ids)) await house.sql(statement);
  // Vacuumed too: what waits to be sorted into a GIN index makes it look dear, as long as autovacuum has not come by.
  await house.sql('vacuum analyze');
  return ids;
}

type Ids = Record<
  'own' | 'messageId' | 'conversationId' | 'channelId' | 'secondChannelId' | 'contactId' | 'endpointId' | 'userId' | 'otherId',
  string
>;

const at = `clock_timestamp() - n * interval '1 min'`;

const rows = ({ own, channelId, secondChannelId, contactId, conversationId, otherId }: Ids) => ({
  'jobs (id, organization_id, name, queue, payload, subject_type, subject_id, state, check_at, finished_at, lane, pool, slot_at)': `
    uuidv7(), '${own}', 'toys.play', 'default', '{}', 'toy', uuidv7(),
    (array['done', 'failed', 'blocked', 'waiting', 'queued'])[1 + n % 5],
    clock_timestamp() + interval '1 hour', ${at}, 'lane:' || n, 'pool:' || n % 7, case when n % 5 = 4 then ${at} end`,
  'contacts (id, organization_id, name, created_at, updated_at, custom_fields)': `
    uuidv7(), '${own}', md5(n::text), ${at}, ${at}, jsonb_build_object('tier', n)`,
  'contact_notes (id, organization_id, contact_id, body, author)': `uuidv7(), '${own}', '${contactId}', '', 'cli'`,
  'conversation_notes (id, organization_id, conversation_id, body, author)': `
    uuidv7(), '${own}', '${conversationId}', '', 'cli'`,
  'templates (id, organization_id, channel_id, provider_template_id, name, language, category, status, components)': `
    uuidv7(), '${own}', case when n % 50 = 0 then '${secondChannelId}'::uuid else '${channelId}' end, n::text, 'T' || n, 'en',
    'utility', 'approved', '[]'`,
  'flows (id, organization_id, channel_id, account_id, provider_flow_id, name, category, categories, status, builder_json, flow_json, json_version, local_sha256, created_at, updated_at)': `
    case when n = 1 then '${otherId}'::uuid else uuidv7() end, '${own}',
    case when n % 50 = 0 then '${secondChannelId}'::uuid else '${channelId}' end, '1', n::text, 'F' || n, 'other', '{other}',
    case when n % 50 = 0 then 'blocked' else 'draft' end, '{}', '{}', '7.2', '', ${at}, ${at}`,
  'events (id, organization_id, type, subject_type, subject_id, data, created_at)': `
    uuidv7(-n * interval '1 min'), '${own}', 'message.sent', 'message', uuidv7(), '{}', ${at}`,
  'provider_webhooks (id, organization_id, body, state, received_at, applied_at)': `
    uuidv7(), '${own}', '[]', (array['received', 'applied', 'applied', 'broken'])[1 + n % 4], ${at}, ${at}`,
  'unmatched_statuses (id, organization_id, channel_id, provider_message_id, status, state, received_at)': `
    uuidv7(), '${own}', '${channelId}', 'wamid', '{}', (array['waiting', 'matched', 'dropped'])[1 + n % 3], ${at}`,
  'idempotency_keys (organization_id, method, path, key, body_hash, status, reply, created_at, contact_id)': `
    '${own}', 'POST', '/v1/messages', n::text, '', 201, '', ${at}, case when n % 100 = 0 then uuidv7() end`,
  'onboardings (id, organization_id, current_step, step_status, completed_steps, rate, created_at, updated_at)': `
    uuidv7(), '${own}',
    case when n % 50 = 0 then 'sync_assets' else 'completed' end,
    case when n % 100 = 0 then 'in_progress' when n % 50 = 0 then 'failed' else 'completed' end, '{}', 80, ${at}, ${at}`,
  'segments (id, organization_id, name, kind, deleted_at, created_at)': `
    uuidv7(), '${own}', 'S' || n, 'static', case when n % 50 = 0 then ${at} end, ${at}`,
  'users (id, email, name)': `uuidv7(), 'p' || n || '@example.com', 'P'`,
});

const following = ({
  own,
  messageId,
  conversationId,
  channelId,
  secondChannelId,
  contactId,
  endpointId,
  userId,
  otherId,
}: Ids) => [
  `insert into conversations (id, organization_id, channel_id, contact_id, status, last_message_at)
   select uuidv7(), organization_id, case when random() < 0.1 then '${secondChannelId}'::uuid else '${channelId}' end, id,
          case when random() < 0.02 then 'pending' else 'resolved' end, clock_timestamp() - random() * interval '1 day'
     from contacts
    where id <> '${contactId}'
    limit 1000`,
  `update conversations
      set assignee_id = case when random() < 0.5 then '${userId}'::uuid end,
          status = 'snoozed',
          snoozed_until = clock_timestamp() + interval '1 day'
    where random() < 0.02`,
  `insert into crm_tasks (id, organization_id, title, description, status, assignee_id, due_at, reminder_job_id, created_at, updated_at)
   select uuidv7(), '${own}', md5(n::text), repeat('more ', 40), case when n % 50 = 0 then 'in_progress' else 'done' end,
          case when n % 40 = 0 then '${userId}'::uuid end, case when n % 3 > 0 then clock_timestamp() + n * interval '1 min' end,
          case when n % 500 = 0 then uuidv7() end, clock_timestamp() - n * interval '1 min', clock_timestamp() - n * interval '1 min'
     from generate_series(1, 20000) n`,
  `insert into segment_members (organization_id, segment_id, contact_id)
   select organization_id, id, case when random() < 0.005 then '${contactId}'::uuid else '${otherId}' end
     from segments`,
  `insert into campaigns (id, organization_id, name, status, created_at)
   select uuidv7(), '${own}', 'D' || n, case when n % 50 = 0 then 'failed' else 'draft' end,
          clock_timestamp() - n * interval '1 min'
     from generate_series(1, 3000) n`,
  `insert into campaign_segments (organization_id, campaign_id, segment_id)
   select c.organization_id, c.id, s.id
     from (select *, row_number() over () as n from campaigns where status = 'draft') c
     join (select id, row_number() over () as n from segments) s on s.n = c.n`,
  `insert into task_targets (id, organization_id, task_id, contact_id)
   select uuidv7(), organization_id, id, case when random() < 0.005 then '${contactId}'::uuid else '${otherId}' end
     from crm_tasks
    where random() < 0.5
   on conflict do nothing`,
  `insert into task_targets (id, organization_id, task_id, conversation_id)
   select uuidv7(), organization_id, id, '${conversationId}'
     from crm_tasks
    where random() < 0.005
   on conflict do nothing`,
  `insert into pipelines (id, organization_id, name) select '${otherId}', '${own}', 'Sales'`,
  `insert into pipeline_stages (id, organization_id, pipeline_id, name, kind, probability, position)
   select case n when 1 then '${otherId}'::uuid else uuidv7() end, '${own}', '${otherId}', n::text,
          (array['open', 'open', 'won', 'lost'])[1 + n % 4], 50, n
     from generate_series(1, 40) n`,
  `insert into deals (id, organization_id, title, status, currency_code, home_currency_at_write)
   select '${otherId}', '${own}', 'Deal', 'open', 'USD', 'USD'`,
  `insert into deals (id, organization_id, title, status, currency_code, home_currency_at_write, owner_user_id, source_conversation_id,
     pipeline_id, stage_id, expected_close_at, custom_fields, created_at, updated_at)
   select uuidv7(), '${own}', md5(n::text), case when n % 50 = 0 then 'lost' else 'open' end, 'USD', 'USD',
          case when n % 40 = 0 then '${userId}'::uuid end, case when n % 400 = 0 then '${conversationId}'::uuid end,
          case when n % 20 = 0 then '${otherId}'::uuid end, case when n % 20 = 0 then '${otherId}'::uuid end,
          case when n % 3 > 0 then clock_timestamp() + n * interval '1 min' end, jsonb_build_object('tier', n),
          clock_timestamp() - n * interval '1 min', clock_timestamp() - n * interval '1 min'
     from generate_series(1, 20000) n`,
  `insert into deal_contacts (organization_id, deal_id, contact_id)
   select d.organization_id, d.id, case when d.n % 200 = 0 then '${contactId}'::uuid else c.id end
     from (select organization_id, id, row_number() over () as n from deals) d
     join (select id, row_number() over () as n from contacts) c on c.n = d.n % 3000 + 1`,
  `insert into deal_conversations (organization_id, conversation_id, deal_id)
   select organization_id, '${conversationId}', id
     from deals`,
  `insert into deal_revaluations (id, organization_id, state, actor, finished_at)
   select uuidv7(), '${own}', 'ended', 'cli', clock_timestamp() - n * interval '1 min'
     from generate_series(1, 3000) n`,
  `insert into task_targets (id, organization_id, task_id, deal_id)
   select uuidv7(), organization_id, id, '${otherId}'
     from crm_tasks
    where random() < 0.005
   on conflict do nothing`,
  `insert into object_types (id, organization_id, kind, label, plural_label, display_field)
   select '${otherId}', '${own}', 'company', 'Company', 'Companies', 'name'`,
  `insert into records (id, organization_id, type_id) select '${otherId}', '${own}', '${otherId}'`,
  ...linkRows(own, { contactId, conversationId, dealId: otherId }),
  `insert into task_targets (id, organization_id, task_id, record_id)
   select uuidv7(), organization_id, id, '${otherId}'
     from crm_tasks
    where random() < 0.005
   on conflict do nothing`,
  `insert into crm_history (organization_id, object_id, revision, object_kind, actor, changes)
   select organization_id, id, 1, 'task', 'cli', '{}'
     from crm_tasks`,
  `insert into tags (id, organization_id, name) select '${otherId}', '${own}', 'VIP'`,
  `insert into conversation_tags (organization_id, conversation_id, tag_id)
   select organization_id, id, '${otherId}'
     from conversations`,
  `insert into messages (id, organization_id, channel_id, conversation_id, contact_id, direction, type, status, content, created_at)
   select uuidv7(), v.organization_id, v.channel_id, v.id, v.contact_id, 'outbound', 'text',
          case when random() < 0.02 then 'queued' else 'sent' end, '{}', clock_timestamp() - n * random() * interval '1 day'
     from conversations v, generate_series(1, 5) n`,
  `insert into messages (id, organization_id, channel_id, conversation_id, contact_id, direction, type, status, content, sending_at)
   values ('${messageId}', '${own}', '${channelId}', '${conversationId}', '${contactId}', 'outbound', 'text', 'sending', '{}', clock_timestamp())`,
  `insert into flow_versions (id, organization_id, flow_id, number, builder_version, json_version, data_api_version, sha256, labels, why)
   select uuidv7(), organization_id, id, 1, 1, '7.2', '', '', '{}', 'create'
     from flows`,
  `insert into flow_secrets (organization_id, flow_id, secret, previous_secret, previous_secret_until)
   select organization_id, id, '', case when n % 50 = 0 then '' end, case when n % 50 = 0 then created_at end
     from (select *, row_number() over () as n from flows) f`,
  `insert into flow_keys (id, organization_id, channel_id, state, private_key, public_key, expires_at)
   select uuidv7(), organization_id, id, 'previous', '', '', created_at
     from channels`,
  `insert into flow_sends (organization_id, message_id, flow_id, version)
   select m.organization_id, m.id, f.id, 1
     from (select organization_id, id, row_number() over () as n from messages) m
     join (select id, row_number() over () as n from flows) f on f.n = m.n % 3000 + 1`,
  `insert into flow_responses (id, organization_id, flow_id, message_id, contact_id, conversation_id, channel_id, response, is_malformed, received_at)
   select uuidv7(), m.organization_id, s.flow_id, m.id, m.contact_id, m.conversation_id, m.channel_id, '{}', random() < 0.01, m.created_at
     from messages m
     join flow_sends s on s.organization_id = m.organization_id and s.message_id = m.id`,
  `insert into media_assets (id, organization_id, storage_key, kind, source, mime_type, size_bytes, sha256, contact_id, message_id, created_at, deleted_at, missing_since)
   select uuidv7(), organization_id, '', (array['image', 'video', 'document'])[1 + (random() * 2)::int], case when random() < 0.5 then 'upload' else 'inbound' end,
          'image/png', 1, '', contact_id, id, created_at, case when random() < 0.01 then created_at end, case when random() < 0.01 then created_at end
     from messages`,
  `insert into webhook_deliveries (id, organization_id, event_id, endpoint_id, state, finished_at)
   select uuidv7(), organization_id, id, '${endpointId}', case when random() < 0.02 then 'pending' when random() < 0.02 then 'failed' else 'succeeded' end, created_at
     from events`,
  `insert into webhook_attempts (id, organization_id, delivery_id, endpoint_id, number, duration_ms, created_at)
   select uuidv7(), organization_id, id, endpoint_id, 1, 1, finished_at
     from webhook_deliveries`,
  `insert into webhook_replays (id, organization_id, endpoint_id, kind, state, actor, position, last_id, finished_at)
   select uuidv7(), organization_id, '${endpointId}', 'recover', 'ended', 'cli', id, id, created_at
     from events`,
  `insert into organizations (id, name) select uuidv7(), 'O' || n from generate_series(1, 300) n`,
  `insert into memberships (organization_id, user_id, role)
   select o.id, u.id, 'agent'
     from users u,
          lateral (select id from organizations where u.id is not null order by random() limit 2) o
   on conflict do nothing`,
  `insert into sessions (id, user_id, hash, organization_id, expires_at)
   select uuidv7(), user_id, uuid_send(uuidv7()), organization_id, clock_timestamp() + interval '1 day' from memberships`,
];

/** One record with many links and many with one; of each kind of other end few. */
const linkRows = (
  own: string,
  { contactId, conversationId, dealId }: Record<'contactId' | 'conversationId' | 'dealId', string>,
) => {
  const links = (column: string, object: string, condition: string) =>
    `insert into record_links (id, organization_id, relation_id, record_id, ${column}, is_single_from, is_single_to)
     select uuidv7(), '${own}', f.id, k.id, ${object}, false, false
       from (select id, row_number() over (order by id) as n from records) k,
            lateral (select id from object_relations order by name limit 3) f
      where ${condition}
     on conflict do nothing`;
  return [
    links('to_record_id', `(select id from records order by id limit 1)`, 'k.n % 2 = 0'),
    links('to_record_id', `(select id from records order by id desc limit 1)`, 'k.n % 400 = 0'),
    links('contact_id', `'${contactId}'`, 'k.n % 400 = 0'),
    links('conversation_id', `'${conversationId}'`, 'k.n % 400 = 0'),
    links('deal_id', `'${dealId}'`, 'k.n % 400 = 0'),
    links('task_id', '(select id from crm_tasks order by id limit 1)', 'k.n % 400 = 0'),
  ];
};

/** A kind `thing` with a value of each sort in the index, and few of its records in the bin. */
const crmRows = (own: string): string[] => [
  `insert into object_types (organization_id, id, kind, label, plural_label, display_field)
   select '${own}', uuidv7(), kind, kind, kind, 'word' from (values ('thing'), ('other')) k (kind)`,
  `insert into object_fields (organization_id, id, type_id, name, label, type, is_indexed, position, index_state)
   select '${own}', uuidv7(), t.id, f.name, f.name, f.type, f.name <> 'free', f.place, case when f.name <> 'free' then 'ready' end
     from object_types t, (values ('word', 'text', 1), ('size', 'number', 2), ('at', 'datetime', 3), ('free', 'text', 4)) f (name, type, place)`,
  `insert into object_relations (organization_id, id, type_id, name, inverse_name, to_kind, to_type_id, cardinality)
   select '${own}', uuidv7(), t.id, 'r' || n, t.kind || n, case when n % 100 = 0 then 'contact' else o.kind end,
          case when n % 100 > 0 then o.id end, 'many_to_many'
     from object_types t, object_types o, generate_series(1, 500) n
    where t.id <> o.id`,
  `insert into records (organization_id, id, type_id, display_name, fields, custom_fields, updated_at, deleted_at)
   select '${own}', uuidv7(-n * interval '1 min'), t.id, md5(n::text), jsonb_build_object('word', 'w' || n, 'size', n, 'free', 'f' || n),
          jsonb_build_object('tier', n), clock_timestamp() - n * interval '1 min', case when n % 50 = 0 then clock_timestamp() end
     from object_types t, generate_series(1, 20000) n`,
  `insert into record_values (organization_id, record_id, field_id, text_value, number_value, time_value)
   select r.organization_id, r.id, f.id, case f.name when 'word' then r.fields ->> 'word' end,
          case f.name when 'size' then (r.fields ->> 'size')::numeric end, case f.name when 'at' then r.updated_at end
     from records r
     join object_fields f on f.type_id = r.type_id and f.is_indexed
    where r.deleted_at is null`,
];
