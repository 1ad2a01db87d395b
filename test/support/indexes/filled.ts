import { uuidv7 } from '../../../src/platform/ids.ts';
import { channel } from '../factories/channel.ts';
import { contact } from '../factories/contact.ts';
import { conversation } from '../factories/conversation.ts';
import { endpoint } from '../factories/endpoint.ts';
import { person } from '../factories/person.ts';
import type { House } from '../house.ts';

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
  for (const [insert, select] of Object.entries(rows(ids)))
    await house.sql(
      `insert into ${insert} select ${select} from generate_series(1, ${insert.startsWith('contacts') ? 20_000 : 3_000}) n`,
    );
  for (const statement of following(ids)) await house.sql(statement);
  await house.sql('analyze');
  return ids;
}

type Ids = Record<
  'own' | 'messageId' | 'conversationId' | 'channelId' | 'secondChannelId' | 'contactId' | 'endpointId' | 'userId' | 'otherId',
  string
>;

const at = `clock_timestamp() - n * interval '1 min'`;

const rows = ({ own, channelId, contactId, conversationId }: Ids) => ({
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
    uuidv7(), '${own}', '${channelId}', n::text, 'T' || n, 'en', 'utility', 'approved', '[]'`,
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
