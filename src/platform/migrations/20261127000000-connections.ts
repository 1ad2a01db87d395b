import { Migration } from '@mikro-orm/migrations';
import { created, manyRowsEach, organization, tenant, times } from './columns.ts';

/** Accounts at calendar, video, shipper and payment services, and the bodies of their webhooks. */
export class Connections extends Migration {
  override name = '20261127000000-connections';

  override up() {
    for (const statement of up) this.addSql(statement);
  }

  override down() {
    for (const statement of down) this.addSql(statement);
  }
}

const up = [
  // credentials, webhook_secret, access_token: sealed; null once the connection is deleted.
  // renewing_until: a process asks for a new access token; the others wait for it that long.
  `create table connections (
     ${tenant},
     kind text not null check (kind in ('calendar', 'video', 'shipper', 'payment')),
     provider text not null check (provider in ('google', 'zoom', 'biteship', 'xendit', 'stripe')),
     name text not null,
     status text not null default 'connected' check (status in ('connected', 'auth_error', 'restricted', 'disconnected')),
     account text not null default '',
     settings jsonb not null default '{}',
     credentials text,
     webhook_secret text,
     access_token text,
     access_token_expires_at timestamptz,
     renewing_until timestamptz,
     is_default boolean not null default false,
     last_ok_at timestamptz,
     last_error text,
     last_error_at timestamptz,
     checked_at timestamptz,
     next_check_at timestamptz not null default clock_timestamp() + interval '1 day',
     deleted_at timestamptz,
     ${times},
     check ((deleted_at is null) = (credentials is not null)))`,
  'create unique index connections_default on connections (organization_id, kind) where is_default and deleted_at is null',
  'create index connections_list on connections (organization_id, created_at, id) where deleted_at is null',
  // A provider's webhook names the connection, before the organization is known.
  'create index connections_id on connections (id)',
  'create index connections_due on connections (next_check_at) where deleted_at is null',

  // verifier: sealed. state_hash: of what comes back with the person.
  `create table connection_consents (
     ${organization},
     state_hash text not null,
     provider text not null,
     actor text not null,
     verifier text not null,
     return_url text not null,
     expires_at timestamptz not null,
     ${created},
     constraint connection_consents_pkey primary key (organization_id, state_hash))`,
  'create index connection_consents_age on connection_consents (expires_at)',

  // external_id: the provider's id of the webhook, else the hash of its body. A body is a hint: the job reads at the provider.
  `create table connection_webhooks (
     ${tenant},
     connection_id uuid not null,
     external_id text not null,
     body bytea not null,
     status text not null default 'received' check (status in ('received', 'applied', 'unknown', 'broken')),
     error text,
     received_at timestamptz not null default clock_timestamp(),
     applied_at timestamptz,
     constraint connection_webhooks_external unique (organization_id, connection_id, external_id),
     foreign key (organization_id, connection_id) references connections (organization_id, id))`,
  'create index connection_webhooks_age on connection_webhooks (received_at)',

  ...manyRowsEach('connections', 'connection_consents', 'connection_webhooks'),
];

const down = ['connection_webhooks', 'connection_consents', 'connections'].map((table) => `drop table ${table}`);
