import { Migration } from '@mikro-orm/migrations';

/** Organizations, keys, the ledger, messaging, events and webhooks: what one message needs from request to delivery. */
export class Spine extends Migration {
  override name = '20261121000000-spine';

  override up() {
    for (const statement of statements) this.addSql(statement);
  }

  override down() {
    for (const table of tables.toReversed()) this.addSql(`drop table if exists ${table} cascade`);
    this.addSql('drop sequence if exists jobs_seq');
  }
}

const tables = [
  'organizations',
  'api_keys',
  'idempotency_keys',
  'pools',
  'jobs',
  'channels',
  'templates',
  'contacts',
  'contact_identities',
  'conversations',
  'messages',
  'provider_webhooks',
  'unmatched_statuses',
  'events',
  'webhook_endpoints',
  'webhook_deliveries',
  'webhook_attempts',
  'heartbeats',
  'audit_log',
];

const times =
  'created_at timestamptz not null default clock_timestamp(), updated_at timestamptz not null default clock_timestamp()';
const tenant = 'id uuid primary key, organization_id uuid not null references organizations (id), unique (organization_id, id)';

const statements = [
  `create table organizations (id uuid primary key, name text not null, ${times})`,

  `create table api_keys (${tenant}, name text not null, hash bytea not null constraint api_keys_hash unique, scopes text[] not null,
     expires_at timestamptz, revoked_at timestamptz, last_used_at timestamptz, created_at timestamptz not null default clock_timestamp())`,

  `create table idempotency_keys (organization_id uuid not null references organizations (id), method text not null, path text not null, key text not null,
     body_hash bytea not null, status int not null, reply text not null, created_at timestamptz not null default clock_timestamp(),
     primary key (organization_id, method, path, key))`,
  'create index idempotency_keys_age on idempotency_keys (created_at)',

  `create table pools (id text primary key, width int not null check (width > 0), rate float8 check (rate > 0), tat timestamptz, held_until timestamptz)`,

  'create sequence jobs_seq',
  `create table jobs (${tenant}, name text not null, queue text not null, payload jsonb not null, subject_type text not null, subject_id uuid not null,
     lane text, pool text, seq bigint not null default nextval('jobs_seq'),
     state text not null check (state in ('blocked', 'waiting', 'queued', 'failed', 'done')), run int not null default 1, attempts int not null default 0,
     run_at timestamptz not null default clock_timestamp(), slot_at timestamptz, check_at timestamptz not null, error jsonb, progress jsonb,
     visible boolean not null default false, stalls int not null default 0, started_at timestamptz,
     created_at timestamptz not null default clock_timestamp(), finished_at timestamptz)`,
  `create unique index jobs_head on jobs (lane) where state in ('waiting', 'queued')`,
  `create index jobs_blocked on jobs (lane, seq) where state = 'blocked'`,
  `create index jobs_waiting on jobs (pool, seq) where state = 'waiting'`,
  `create index jobs_room on jobs (pool) where state = 'queued' and slot_at is not null`,
  `create index jobs_lane on jobs (lane) where state in ('blocked', 'waiting', 'queued')`,
  `create index jobs_check on jobs (check_at) where state = 'queued'`,
  'create index jobs_subject on jobs (subject_id)',
  `create index jobs_ended on jobs (finished_at) where state in ('failed', 'done')`,
  // The ledger is small and always changing: without this, dead rows outgrow the live ones between two runs of autovacuum.
  'alter table jobs set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 200, fillfactor = 80)',

  `create table channels (${tenant}, provider text not null, name text not null, phone_number_id text not null constraint channels_phone_number_id unique,
     account_id text not null, display_phone text not null, status text not null check (status in ('connected', 'disconnected', 'auth_error', 'restricted')),
     access_token text not null, app_secret text, verify_token text, rate int not null check (rate between 1 and 1000), ${times})`,
  'create index channels_list on channels (organization_id, created_at, id)',
  'create index channels_account on channels (account_id)',

  `create table templates (${tenant}, channel_id uuid not null, provider_template_id text not null, name text not null, language text not null, category text not null,
     status text not null check (status in ('draft', 'pending', 'approved', 'rejected', 'paused', 'disabled')), components jsonb not null, ${times},
     constraint templates_name unique (channel_id, name, language), foreign key (organization_id, channel_id) references channels (organization_id, id) on delete cascade)`,
  'create index templates_provider on templates (provider_template_id)',

  `create table contacts (${tenant}, name text not null default '', phone_number text not null default '', ${times})`,
  `create table contact_identities (${tenant}, contact_id uuid not null, type text not null check (type in ('phone', 'messaging_app', 'messaging_app_id', 'email', 'external_id')),
     source text not null default '', value text not null, created_at timestamptz not null default clock_timestamp(),
     constraint contact_identities_value unique (organization_id, type, source, value),
     foreign key (organization_id, contact_id) references contacts (organization_id, id) on delete cascade)`,
  'create index contact_identities_contact on contact_identities (organization_id, contact_id)',

  `create table conversations (${tenant}, channel_id uuid not null, contact_id uuid not null, status text not null check (status in ('open', 'pending', 'snoozed', 'resolved')),
     last_inbound_at timestamptz, last_message_at timestamptz, preview text not null default '', ${times},
     constraint conversations_pair unique (channel_id, contact_id),
     foreign key (organization_id, channel_id) references channels (organization_id, id),
     foreign key (organization_id, contact_id) references contacts (organization_id, id))`,
  'create index conversations_contact on conversations (organization_id, contact_id)',

  `create table messages (${tenant}, channel_id uuid not null, conversation_id uuid not null, contact_id uuid not null,
     direction text not null check (direction in ('inbound', 'outbound')), type text not null,
     status text not null check (status in ('queued', 'sending', 'sent', 'delivered', 'read', 'failed', 'received')),
     to_phone text not null default '', to_user_id text not null default '', from_phone text not null default '', content jsonb not null, context_id text,
     provider_message_id text, superseded_ids text[] not null default '{}', provider_at timestamptz, failure jsonb, sending_at timestamptz, resends int not null default 0, ${times},
     constraint messages_provider_message_id unique (channel_id, provider_message_id),
     foreign key (organization_id, channel_id) references channels (organization_id, id),
     foreign key (organization_id, conversation_id) references conversations (organization_id, id),
     foreign key (organization_id, contact_id) references contacts (organization_id, id))`,
  'create index messages_list on messages (organization_id, created_at, id)',
  'create index messages_channel on messages (organization_id, channel_id, created_at, id)',
  'create index messages_conversation on messages (organization_id, conversation_id, created_at, id)',
  'create index messages_contact on messages (organization_id, contact_id, created_at, id)',
  'create index messages_status on messages (organization_id, status, created_at, id)',
  `create index messages_open on messages (id) where status in ('queued', 'sending')`,

  // One row an organization: of a body that speaks of several tenants each keeps its own changes only. Bytes, since jsonb refuses NUL.
  `create table provider_webhooks (${tenant}, channel_id uuid, body bytea not null, state text not null check (state in ('received', 'applied', 'broken')), errors jsonb,
     received_at timestamptz not null default clock_timestamp(), applied_at timestamptz,
     foreign key (organization_id, channel_id) references channels (organization_id, id) on delete cascade)`,
  `create index provider_webhooks_unapplied on provider_webhooks (received_at) where state = 'received'`,
  'create index provider_webhooks_age on provider_webhooks (received_at)',

  `create table unmatched_statuses (${tenant}, channel_id uuid not null, provider_message_id text not null, status jsonb not null,
     state text not null check (state in ('waiting', 'matched', 'dropped')), received_at timestamptz not null default clock_timestamp(),
     foreign key (organization_id, channel_id) references channels (organization_id, id) on delete cascade)`,
  `create index unmatched_statuses_open on unmatched_statuses (id) where state = 'waiting'`,
  'create index unmatched_statuses_channel on unmatched_statuses (organization_id, channel_id)',

  `create table events (${tenant}, seq bigint generated always as identity, type text not null, subject_type text not null, subject_id uuid not null, data jsonb not null,
     created_at timestamptz not null default clock_timestamp())`,
  'create index events_list on events (organization_id, seq)',
  'create index events_subject on events (organization_id, subject_id, seq)',

  `create table webhook_endpoints (${tenant}, url text not null, event_types text[] not null, description text not null default '', headers text,
     rate_limit int, ordering text not null check (ordering in ('best_effort', 'per_subject')), enabled boolean not null default true,
     secret text not null, disabled_reason text, ${times})`,
  'create index webhook_endpoints_organization on webhook_endpoints (organization_id, created_at, id)',

  `create table webhook_deliveries (${tenant}, event_id uuid not null, endpoint_id uuid not null,
     state text not null check (state in ('pending', 'succeeded', 'failed')), attempts int not null default 0, next_attempt_at timestamptz,
     is_test boolean not null default false, created_at timestamptz not null default clock_timestamp(), finished_at timestamptz,
     constraint webhook_deliveries_once unique (event_id, endpoint_id),
     foreign key (organization_id, event_id) references events (organization_id, id) on delete cascade,
     foreign key (organization_id, endpoint_id) references webhook_endpoints (organization_id, id) on delete cascade)`,
  'create index webhook_deliveries_endpoint on webhook_deliveries (organization_id, endpoint_id, created_at, id)',
  `create index webhook_deliveries_open on webhook_deliveries (id) where state = 'pending'`,

  `create table webhook_attempts (${tenant}, delivery_id uuid not null, number int not null, status int, duration_ms int not null, error_class text, error text,
     response_head text, created_at timestamptz not null default clock_timestamp(),
     foreign key (organization_id, delivery_id) references webhook_deliveries (organization_id, id) on delete cascade)`,
  'create index webhook_attempts_delivery on webhook_attempts (organization_id, delivery_id, number)',
  'create index webhook_attempts_age on webhook_attempts (created_at)',

  'create table heartbeats (process_id uuid primary key, process text not null, since timestamptz not null, seen_at timestamptz not null)',

  `create table audit_log (id uuid primary key, organization_id uuid references organizations (id), actor text not null, action text not null, subject text not null,
     address text not null default '', created_at timestamptz not null default clock_timestamp())`,
  'create index audit_log_list on audit_log (organization_id, created_at, id)',
];
