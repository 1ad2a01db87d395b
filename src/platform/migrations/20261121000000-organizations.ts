import { Migration } from '@mikro-orm/migrations';
import { created, manyRowsEach, organization, role, tenant, times } from './columns.ts';

/** Organizations, people and what they may do in which organization, sessions, tokens, keys, invitations and mails. */
export class Organizations extends Migration {
  override name = '20261121000000-organizations';

  override up() {
    for (const statement of statements) this.addSql(statement);
  }

  override down() {
    for (const table of tables.toReversed()) this.addSql(`drop table ${table}`);
  }
}

const tables = [
  'organizations',
  'users',
  'memberships',
  'sessions',
  'bearer_tokens',
  'password_resets',
  'invitations',
  'api_keys',
  'mails',
];

/** Deleted with the membership: whoever leaves an organization takes none of its credentials along. */
const member = 'foreign key (organization_id, user_id) references memberships (organization_id, user_id) on delete cascade';

const statements = [
  `create table organizations (
     id uuid primary key,
     name text not null,
     ${times})`,

  `create table users (
     id uuid primary key,
     email text not null constraint users_email unique check (email = lower(email)),
     name text not null,
     email_verified boolean not null default false,
     timezone text not null default 'UTC',
     week_start text not null default 'monday',
     password_hash text,
     password_changed_at timestamptz,
     ${times})`,

  `create table memberships (
     ${organization},
     user_id uuid not null references users (id) on delete cascade,
     ${role},
     used_at timestamptz,
     ${times},
     primary key (organization_id, user_id))`,
  'create index memberships_user on memberships (user_id)',
  'create index memberships_list on memberships (organization_id, created_at, user_id)',

  // Only the hash of what a person or program holds is stored, here and below. A session survives its organization: it has none then.
  `create table sessions (
     id uuid primary key,
     user_id uuid not null references users (id) on delete cascade,
     hash bytea not null constraint sessions_hash unique,
     organization_id uuid,
     expires_at timestamptz not null,
     seen_at timestamptz not null default clock_timestamp(),
     address text not null default '',
     user_agent text not null default '',
     telemetry_id text,
     ${created},
     foreign key (organization_id, user_id) references memberships (organization_id, user_id) on delete set null (organization_id))`,
  'create index sessions_user on sessions (user_id, created_at)',
  'create index sessions_membership on sessions (organization_id, user_id)',
  'create index sessions_expiry on sessions (expires_at)',

  `create table bearer_tokens (
     ${tenant},
     user_id uuid not null,
     session_id uuid,
     name text not null,
     hash bytea not null constraint bearer_tokens_hash unique,
     scopes text[] not null,
     expires_at timestamptz not null,
     last_used_at timestamptz,
     ${created},
     ${member})`,
  'create index bearer_tokens_list on bearer_tokens (organization_id, user_id, created_at, id)',
  'create index bearer_tokens_user on bearer_tokens (user_id)',
  'create index bearer_tokens_expiry on bearer_tokens (expires_at)',

  `create table password_resets (
     id uuid primary key,
     user_id uuid not null references users (id) on delete cascade,
     hash bytea not null constraint password_resets_hash unique,
     expires_at timestamptz not null,
     used_at timestamptz,
     ${created})`,
  'create index password_resets_user on password_resets (user_id)',
  'create index password_resets_expiry on password_resets (expires_at)',

  `create table invitations (
     ${tenant},
     email text not null check (email = lower(email)),
     ${role},
     hash bytea not null constraint invitations_hash unique,
     invited_by text not null,
     is_mailed boolean not null default false,
     expires_at timestamptz not null,
     accepted_at timestamptz,
     revoked_at timestamptz,
     ${created})`,
  'create index invitations_list on invitations (organization_id, created_at, id)',
  'create unique index invitations_open on invitations (organization_id, email) where accepted_at is null and revoked_at is null',
  'create index invitations_email on invitations (email) where accepted_at is null and revoked_at is null',

  // `role` is the highest a key may give: its maker's.
  `create table api_keys (
     ${tenant},
     name text not null,
     hash bytea not null constraint api_keys_hash unique,
     scopes text[] not null,
     ${role} default 'owner',
     hint text not null default '',
     created_by text not null default 'cli',
     replaces_id uuid,
     expires_at timestamptz,
     revoked_at timestamptz,
     last_used_at timestamptz,
     ${created},
     foreign key (organization_id, replaces_id) references api_keys (organization_id, id))`,
  'create index api_keys_list on api_keys (organization_id, created_at, id)',
  // The keys a member made, and those made by these keys, are found from their maker.
  'create index api_keys_maker on api_keys (organization_id, created_by)',
  'create index api_keys_replaces on api_keys (organization_id, replaces_id) where replaces_id is not null',

  // The one-time token stands sealed for the time the mail takes, and is taken away once it has gone.
  `create table mails (
     ${tenant},
     kind text not null check (kind in ('invitation', 'password_reset')),
     recipient text not null,
     data jsonb not null,
     token text,
     sent_at timestamptz,
     failed_at timestamptz,
     ${created})`,
  'create index mails_age on mails (created_at)',

  ...manyRowsEach('memberships', 'bearer_tokens', 'invitations', 'api_keys', 'mails'),
];
