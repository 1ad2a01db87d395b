import { Migration } from '@mikro-orm/migrations';

/** Webhook endpoints that are changed, rotated, disabled, enabled and deleted. */
export class WebhookSettings extends Migration {
  override name = '20261122000000-webhook-settings';

  override up() {
    for (const statement of up) this.addSql(statement);
  }

  override down() {
    for (const statement of down) this.addSql(statement);
  }
}

const stateCheck = (states: string) =>
  `alter table webhook_deliveries drop constraint webhook_deliveries_state_check,
     add constraint webhook_deliveries_state_check check (state in (${states}))`;

const up = [
  // `event_prefixes` follows from `event_types`: what a wildcard stands for. Null without a wildcard, which costs an event nothing.
  // A deleted endpoint stays as long as its deliveries: a transaction that has found it may still refer to it.
  `alter table webhook_endpoints add column event_prefixes text[], add column previous_secret text, add column previous_secret_until timestamptz,
     add column disabled_at timestamptz, add column deleted_at timestamptz`,
  `update webhook_endpoints
      set disabled_at = updated_at
    where not enabled`,
  'create index webhook_endpoints_list on webhook_endpoints (organization_id, created_at, id) where deleted_at is null',
  'create index webhook_endpoints_deleted on webhook_endpoints (deleted_at) where deleted_at is not null',
  'create index webhook_endpoints_overlap on webhook_endpoints (previous_secret_until) where previous_secret_until is not null',

  stateCheck(`'pending', 'succeeded', 'failed', 'cancelled'`),
];

const down = [
  `update webhook_deliveries
      set state = 'failed'
    where state = 'cancelled'`,
  stateCheck(`'pending', 'succeeded', 'failed'`),
  'delete from webhook_endpoints where deleted_at is not null',
  'drop index webhook_endpoints_list',
  'drop index webhook_endpoints_deleted',
  'drop index webhook_endpoints_overlap',
  `alter table webhook_endpoints drop column event_prefixes, drop column previous_secret, drop column previous_secret_until,
     drop column disabled_at, drop column deleted_at`,
];
