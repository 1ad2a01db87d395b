import { Migration } from '@mikro-orm/migrations';
import { distinctValues, manyRowsEach, tenant, times } from './columns.ts';

export class Messaging extends Migration {
  override name = '20261121000050-messaging';

  override up() {
    for (const statement of statements) this.addSql(statement);
  }

  override down() {
    this.addSql('drop table messages');
    this.addSql('drop table conversations');
  }
}

/** Messages and conversations stay when the person is forgotten: without the person. */
const forgettable = (table: string) =>
  `contact_id uuid, constraint ${table}_contact foreign key (organization_id, contact_id) references contacts (organization_id, id)
     on delete set null (contact_id)`;
const channel = 'channel_id uuid not null, foreign key (organization_id, channel_id) references channels (organization_id, id)';

const statements = [
  // `profile_…`: what the provider's webhooks tell of the person on this channel.
  `create table conversations (
     ${tenant},
     ${channel},
     ${forgettable('conversations')},
     status text not null check (status in ('open', 'pending', 'snoozed', 'resolved')),
     last_inbound_at timestamptz,
     last_message_at timestamptz,
     preview text not null default '',
     profile_name text not null default '',
     profile_username text not null default '',
     profile_phone text not null default '',
     profile_user_id text not null default '',
     ${times},
     constraint conversations_pair unique (organization_id, channel_id, contact_id))`,
  'create index conversations_contact on conversations (organization_id, contact_id)',

  `create table messages (
     ${tenant},
     ${channel},
     conversation_id uuid not null,
     ${forgettable('messages')},
     direction text not null check (direction in ('inbound', 'outbound')),
     type text not null,
     status text not null check (status in ('queued', 'sending', 'sent', 'delivered', 'read', 'failed', 'received')),
     to_phone text not null default '',
     to_user_id text not null default '',
     from_phone text not null default '',
     content jsonb not null,
     context_id text,
     provider_message_id text,
     superseded_ids text[] not null default '{}',
     provider_at timestamptz,
     failure jsonb,
     sending_at timestamptz,
     resends int not null default 0,
     ${times},
     constraint messages_provider_message_id unique (organization_id, channel_id, provider_message_id),
     foreign key (organization_id, conversation_id) references conversations (organization_id, id))`,
  'create index messages_list on messages (organization_id, created_at, id)',
  'create index messages_channel on messages (organization_id, channel_id, created_at, id)',
  'create index messages_conversation on messages (organization_id, conversation_id, created_at, id)',
  'create index messages_contact on messages (organization_id, contact_id, created_at, id)',
  'create index messages_status on messages (organization_id, status, created_at, id)',
  `create index messages_open on messages (organization_id, id) where status in ('queued', 'sending')`,

  ...manyRowsEach('conversations', 'messages'),
  // A channel has many messages too: else the list's index looks as good as the unique one, for a plan made while the table is empty.
  ...distinctValues('messages', 'channel_id', 10),
];
