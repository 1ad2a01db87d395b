import { Migration } from '@mikro-orm/migrations';

/** People, what they may do in which organization, their sessions and tokens, invitations, mail, and who did what. */
export class Accounts extends Migration {
  override name = '20261121000020-accounts';

  override up() {
    for (const statement of up) this.addSql(statement);
  }

  override down() {
    for (const statement of down) this.addSql(statement);
  }
}

const created = 'created_at timestamptz not null default clock_timestamp()';
const times = `${created}, updated_at timestamptz not null default clock_timestamp()`;
const tenant = 'id uuid primary key, organization_id uuid not null references organizations (id), unique (organization_id, id)';
const role = `role text not null check (role in ('owner', 'admin', 'agent', 'viewer'))`;
/** Gone with the membership: whoever leaves an organization takes none of its credentials along. */
const member = 'foreign key (organization_id, user_id) references memberships (organization_id, user_id) on delete cascade';

const up = [
  `create table users (id uuid primary key, email text not null constraint users_email unique check (email = lower(email)), name text not null,
     email_verified boolean not null default false, timezone text not null default 'UTC', week_start text not null default 'monday',
     password_hash text, password_changed_at timestamptz, ${times})`,

  `create table memberships (organization_id uuid not null references organizations (id), user_id uuid not null references users (id) on delete cascade,
     ${role}, used_at timestamptz, ${times}, primary key (organization_id, user_id))`,
  'create index memberships_user on memberships (user_id)',
  'create index memberships_list on memberships (organization_id, created_at, user_id)',

  // Only the hash of what a person or program holds is stored, here and below. A session survives its organization: it has none then.
  `create table sessions (id uuid primary key, user_id uuid not null references users (id) on delete cascade, hash bytea not null constraint sessions_hash unique,
     organization_id uuid, expires_at timestamptz not null, seen_at timestamptz not null default clock_timestamp(), address text not null default '',
     user_agent text not null default '', telemetry_id text, ${created},
     foreign key (organization_id, user_id) references memberships (organization_id, user_id) on delete set null (organization_id))`,
  'create index sessions_user on sessions (user_id, created_at)',
  'create index sessions_membership on sessions (organization_id, user_id)',
  'create index sessions_expiry on sessions (expires_at)',

  `create table bearer_tokens (${tenant}, user_id uuid not null, session_id uuid, name text not null, hash bytea not null constraint bearer_tokens_hash unique,
     scopes text[] not null, expires_at timestamptz not null, last_used_at timestamptz, ${created}, ${member})`,
  'create index bearer_tokens_list on bearer_tokens (organization_id, user_id, created_at, id)',
  'create index bearer_tokens_user on bearer_tokens (user_id)',
  'create index bearer_tokens_expiry on bearer_tokens (expires_at)',

  `create table password_resets (id uuid primary key, user_id uuid not null references users (id) on delete cascade, hash bytea not null constraint password_resets_hash unique,
     expires_at timestamptz not null, used_at timestamptz, ${created})`,
  'create index password_resets_user on password_resets (user_id)',
  'create index password_resets_expiry on password_resets (expires_at)',

  `create table invitations (${tenant}, email text not null check (email = lower(email)), ${role}, hash bytea not null constraint invitations_hash unique,
     invited_by text not null, is_mailed boolean not null default false, expires_at timestamptz not null, accepted_at timestamptz, revoked_at timestamptz, ${created})`,
  'create index invitations_list on invitations (organization_id, created_at, id)',
  `create unique index invitations_open on invitations (organization_id, email) where accepted_at is null and revoked_at is null`,
  'create index invitations_email on invitations (email) where accepted_at is null and revoked_at is null',

  // The one-time token stands sealed for the time the mail takes, and is taken away once it has gone.
  `create table mails (${tenant}, kind text not null check (kind in ('invitation', 'password_reset')), recipient text not null, data jsonb not null,
     token text, sent_at timestamptz, failed_at timestamptz, ${created})`,
  'create index mails_age on mails (created_at)',

  // `role` is the highest a key may give: its maker's. Keys made before there were people came from the command line.
  `alter table api_keys add column role text not null default 'owner' check (role in ('owner', 'admin', 'agent', 'viewer')),
     add column hint text not null default '', add column created_by text not null default 'cli', add column replaces_id uuid,
     add foreign key (organization_id, replaces_id) references api_keys (organization_id, id)`,
  'create index api_keys_list on api_keys (organization_id, created_at, id)',
  'create index api_keys_replaces on api_keys (organization_id, replaces_id) where replaces_id is not null',

  'alter table audit_log add column details jsonb, add column request_id text',
  'create index audit_log_action on audit_log (organization_id, action, created_at, id)',
  'create index audit_log_actor on audit_log (organization_id, actor, created_at, id)',

  // The shape rate-limiter-flexible reads and writes; `expire` is in milliseconds of the epoch.
  'create table login_limits (key varchar(255) primary key, points int not null default 0, expire bigint)',
  'create index login_limits_expiry on login_limits (to_timestamp(expire / 1000.0))',
];

const down = [
  'drop table login_limits',
  'drop index audit_log_actor',
  'drop index audit_log_action',
  'alter table audit_log drop column request_id, drop column details',
  'drop index api_keys_replaces',
  'drop index api_keys_list',
  'alter table api_keys drop column replaces_id, drop column created_by, drop column hint, drop column role',
  ...['mails', 'invitations', 'password_resets', 'bearer_tokens', 'sessions', 'memberships', 'users'].map(
    (table) => `drop table ${table}`,
  ),
];
