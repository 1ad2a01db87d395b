import { Migration } from '@mikro-orm/migrations';
import { created, manyRowsEach, organization } from './columns.ts';

/** What the reads of events, deliveries and attempts need. */
export class WebhookReads extends Migration {
  override name = '20261122000010-webhook-reads';

  override up() {
    for (const statement of up) this.addSql(statement);
  }

  override down() {
    for (const statement of down) this.addSql(statement);
  }
}

const up = [
  // The transaction has its id before it draws a number: what src/platform/events/settled.ts rests on.
  'create sequence events_numbers as bigint',
  `select setval('events_numbers', (select last_value from events_seq_seq), (select is_called from events_seq_seq))`,
  'alter table events alter column seq drop identity',
  'alter sequence events_numbers rename to events_seq_seq',
  'alter sequence events_seq_seq owned by events.seq',
  `alter table events alter column seq
     set default case when pg_current_xact_id() is not null then nextval('events_seq_seq') end`,
  'create index events_order on events (organization_id, seq)',

  'create index webhook_deliveries_endpoint on webhook_deliveries (organization_id, endpoint_id, state, id)',
  // The check of the ledger finds what is pending by the new one. Beside it the planner would take this one for an endpoint's pending ones, and
  // read those of all endpoints.
  'drop index webhook_deliveries_open',

  // No reference of its own: it would be checked for each attempt, and is that of the delivery.
  `alter table webhook_attempts
     add column endpoint_id uuid,
     add column phase text,
     add column phases jsonb,
     add column trigger text not null default 'schedule'`,
  'create index webhook_attempts_endpoint on webhook_attempts (organization_id, endpoint_id, id)',

  `create table event_cursors (${organization}, name text not null, seq bigint not null, event_at timestamptz, lost_until timestamptz,
     ${created}, acked_at timestamptz not null default clock_timestamp(), primary key (organization_id, name))`,
  ...manyRowsEach('event_cursors'),
];

const down = [
  'drop table event_cursors',
  'drop index webhook_attempts_endpoint',
  `alter table webhook_attempts
     drop column endpoint_id,
     drop column phase,
     drop column phases,
     drop column trigger`,
  `create index webhook_deliveries_open on webhook_deliveries (organization_id, id) where state = 'pending'`,
  'drop index webhook_deliveries_endpoint',
  'drop index events_order',
  'alter table events alter column seq drop default',
  'alter sequence events_seq_seq owned by none',
  'alter sequence events_seq_seq rename to events_numbers',
  'alter table events alter column seq add generated always as identity',
  `select setval('events_seq_seq', (select last_value from events_numbers), (select is_called from events_numbers))`,
  'drop sequence events_numbers',
];
