import { Migration } from '@mikro-orm/migrations';
import { created, manyRowsEach, organization, tenant, times } from './columns.ts';

/** Forms inside the chat: flows, their versions, what was sent of them, what people answered, and the keys of their endpoints. */
export class Flows extends Migration {
  override name = '20261126000000-flows';

  override up() {
    for (const statement of up) this.addSql(statement);
  }

  override down() {
    for (const statement of down) this.addSql(statement);
  }
}

const up = [
  // flow_json is text: a document may have 10 MiB, which is compared by its hash and shown as it is. account_id: the channel's.
  // data_exchange_headers: sealed.
  `create table flows (
     ${tenant},
     channel_id uuid,
     account_id text,
     provider_flow_id text,
     name text not null,
     category text not null,
     categories text[] not null,
     status text not null default 'draft' check (status in ('draft', 'published', 'deprecated', 'blocked', 'throttled')),
     builder_json jsonb not null,
     builder_version int not null default 1,
     flow_json text not null,
     json_version text not null,
     data_api_version text not null default '',
     faults jsonb not null default '[]',
     provider_faults jsonb not null default '[]',
     version int not null default 1,
     provider_version int,
     local_sha256 text not null,
     pushed_sha256 text,
     pushed_name text,
     pushed_categories text[],
     base_sha256 text,
     drift jsonb,
     data_exchange_url text,
     data_exchange_headers text,
     revision int not null default 1,
     doing text check (doing in ('push', 'publish', 'sync', 'deprecate', 'delete', 'preview')),
     asked_at timestamptz,
     failure jsonb,
     preview_url text,
     preview_expires_at timestamptz,
     published_at timestamptz,
     synced_at timestamptz,
     status_at timestamptz,
     told_at timestamptz,
     alerts jsonb not null default '{}',
     search text not null generated always as (' ' || searchable(name)) stored,
     ${times},
     check ((channel_id is null) = (account_id is null)),
     check (account_id is not null or provider_flow_id is null),
     foreign key (organization_id, channel_id) references channels (organization_id, id))`,
  'create unique index flows_name on flows (organization_id, account_id, lower(name))',
  'create unique index flows_provider on flows (organization_id, provider_flow_id)',
  'create index flows_list on flows (organization_id, created_at, id)',
  'create index flows_updated on flows (organization_id, updated_at, id)',
  'create index flows_status on flows (organization_id, status, created_at, id)',
  'create index flows_open on flows (organization_id, id) where doing is not null',
  'create index flows_channel on flows (organization_id, channel_id, created_at, id)',

  // The labels and screens of a version that was sent stay when its documents go. screens: null, not known.
  `create table flow_versions (
     ${tenant},
     flow_id uuid not null,
     number int not null,
     builder_json jsonb,
     builder_version int not null,
     flow_json text,
     json_version text not null,
     data_api_version text not null,
     sha256 text not null,
     labels jsonb not null,
     screens text[],
     why text not null check (why in ('create', 'edit', 'clone', 'restore', 'import', 'sync')),
     actor text not null default '',
     ${created},
     constraint flow_versions_number unique (organization_id, flow_id, number),
     foreign key (organization_id, flow_id) references flows (organization_id, id) on delete cascade)`,

  `create table flow_sends (
     ${organization},
     message_id uuid not null,
     flow_id uuid,
     version int,
     client_token text,
     responded_at timestamptz,
     primary key (organization_id, message_id),
     check ((flow_id is null) = (version is null)),
     foreign key (organization_id, message_id) references messages (organization_id, id) on delete cascade,
     foreign key (organization_id, flow_id, version) references flow_versions (organization_id, flow_id, number)
       on delete set null (flow_id, version))`,
  'create index flow_sends_version on flow_sends (organization_id, flow_id, version, message_id)',

  // conversation_id, channel_id: those of the message, for lists and events.
  `create table flow_responses (
     ${tenant},
     flow_id uuid,
     message_id uuid not null,
     sent_message_id uuid,
     contact_id uuid not null,
     conversation_id uuid not null,
     channel_id uuid not null,
     response jsonb not null,
     answers jsonb not null default '[]',
     is_malformed boolean not null default false,
     client_token text,
     received_at timestamptz not null default clock_timestamp(),
     constraint flow_responses_message unique (organization_id, message_id),
     foreign key (organization_id, message_id) references messages (organization_id, id) on delete cascade,
     foreign key (organization_id, flow_id) references flows (organization_id, id) on delete set null (flow_id),
     foreign key (organization_id, contact_id) references contacts (organization_id, id) on delete cascade)`,
  'create index flow_responses_flow on flow_responses (organization_id, flow_id, received_at, id)',
  'create index flow_responses_contact on flow_responses (organization_id, contact_id, flow_id, received_at, id)',
  'create index flow_responses_malformed on flow_responses (organization_id, flow_id, received_at, id) where is_malformed',

  // private_key: sealed.
  `create table flow_keys (
     ${tenant},
     channel_id uuid not null,
     state text not null check (state in ('uploading', 'current', 'previous')),
     private_key text not null,
     public_key text not null,
     uploaded_at timestamptz,
     expires_at timestamptz,
     ${times},
     constraint flow_keys_state unique (organization_id, channel_id, state),
     foreign key (organization_id, channel_id) references channels (organization_id, id) on delete cascade)`,

  ...manyRowsEach('flows', 'flow_versions', 'flow_sends', 'flow_responses', 'flow_keys'),
];

const down = ['flow_keys', 'flow_responses', 'flow_sends', 'flow_versions', 'flows'].map((table) => `drop table ${table}`);
