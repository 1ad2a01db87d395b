import { Migration } from '@mikro-orm/migrations';
import { created, manyRowsEach, tenant, times } from './columns.ts';

/** What happened, and how it is told to the receivers of webhooks. */
export class Webhooks extends Migration {
  override name = '20261121000070-webhooks';

  override up() {
    for (const statement of statements) this.addSql(statement);
  }

  override down() {
    for (const table of ['webhook_attempts', 'webhook_deliveries', 'webhook_endpoints', 'events'])
      this.addSql(`drop table ${table}`);
  }
}

const statements = [
  // Ids are UUIDv7: within an organization the primary key is in order of age. A purge needs no index of its own.
  `create table events (
     ${tenant},
     seq bigint generated always as identity,
     type text not null,
     subject_type text not null,
     subject_id uuid not null,
     data jsonb not null,
     ${created})`,
  'create index events_subject on events (organization_id, subject_id, seq)',

  `create table webhook_endpoints (
     ${tenant},
     url text not null,
     event_types text[] not null,
     description text not null default '',
     headers text,
     rate_limit int,
     ordering text not null check (ordering in ('best_effort', 'per_subject')),
     enabled boolean not null default true,
     secret text not null,
     disabled_reason text,
     ${times})`,

  `create table webhook_deliveries (
     ${tenant},
     event_id uuid not null,
     endpoint_id uuid not null,
     state text not null check (state in ('pending', 'succeeded', 'failed')),
     attempts int not null default 0,
     next_attempt_at timestamptz,
     is_test boolean not null default false,
     ${created},
     finished_at timestamptz,
     constraint webhook_deliveries_once unique (organization_id, event_id, endpoint_id),
     foreign key (organization_id, event_id) references events (organization_id, id) on delete cascade,
     foreign key (organization_id, endpoint_id) references webhook_endpoints (organization_id, id) on delete cascade)`,
  `create index webhook_deliveries_open on webhook_deliveries (organization_id, id) where state = 'pending'`,

  `create table webhook_attempts (
     ${tenant},
     delivery_id uuid not null,
     number int not null,
     status int,
     duration_ms int not null,
     error_class text,
     error text,
     response_head text,
     ${created},
     foreign key (organization_id, delivery_id) references webhook_deliveries (organization_id, id) on delete cascade)`,
  'create index webhook_attempts_delivery on webhook_attempts (organization_id, delivery_id, number)',

  ...manyRowsEach('events', 'webhook_endpoints', 'webhook_deliveries', 'webhook_attempts'),
];
