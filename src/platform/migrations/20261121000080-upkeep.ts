import { Migration } from '@mikro-orm/migrations';
import { created, manyRowsEach, organization } from './columns.ts';

/** What the installation keeps for its own work: stored replies, who did what, wrong guesses, which processes live, when was purged. */
export class Upkeep extends Migration {
  override name = '20261121000080-upkeep';

  override up() {
    for (const statement of statements) this.addSql(statement);
  }

  override down() {
    for (const table of ['purges', 'heartbeats', 'login_limits', 'audit_log', 'idempotency_keys'])
      this.addSql(`drop table ${table}`);
  }
}

const statements = [
  // `contact_id`: whom a stored reply speaks of. The reply is withdrawn when that person is forgotten.
  `create table idempotency_keys (
     ${organization},
     method text not null,
     path text not null,
     key text not null,
     body_hash bytea not null,
     status int not null,
     reply text not null,
     contact_id uuid,
     ${created},
     primary key (organization_id, method, path, key))`,
  'create index idempotency_keys_age on idempotency_keys (created_at)',
  'create index idempotency_keys_contact on idempotency_keys (organization_id, contact_id) where contact_id is not null',

  // An act of the operator concerns the whole installation: it has no organization.
  `create table audit_log (
     id uuid primary key,
     organization_id uuid references organizations (id),
     actor text not null,
     action text not null,
     subject text not null,
     address text not null default '',
     details jsonb,
     request_id text,
     ${created})`,
  'create index audit_log_list on audit_log (organization_id, created_at, id)',
  'create index audit_log_action on audit_log (organization_id, action, created_at, id)',
  'create index audit_log_actor on audit_log (organization_id, actor, created_at, id)',

  // The shape rate-limiter-flexible reads and writes; `expire` is in milliseconds of the epoch.
  `create table login_limits (
     key varchar(255) primary key,
     points int not null default 0,
     expire bigint)`,
  'create index login_limits_expiry on login_limits (to_timestamp(expire / 1000.0))',

  `create table heartbeats (
     process_id uuid primary key,
     process text not null,
     since timestamptz not null,
     seen_at timestamptz not null)`,

  `create table purges (
     table_name text primary key,
     started_at timestamptz not null,
     next_at timestamptz not null,
     finished_at timestamptz,
     deleted bigint not null default 0,
     position jsonb)`,

  ...manyRowsEach('idempotency_keys', 'audit_log'),
];
