import { Migration } from '@mikro-orm/migrations';

/** When each table was last purged, and an index for what a purge looks for, partial by state: a purge never reads what it must keep. */
export class Retention extends Migration {
  override name = '20261121000010-retention';

  override up() {
    for (const statement of up) this.addSql(statement);
  }

  override down() {
    for (const statement of down) this.addSql(statement);
  }
}

const up = [
  `create table purges (table_name text primary key, started_at timestamptz not null, next_at timestamptz not null, finished_at timestamptz,
     deleted bigint not null default 0)`,

  // One index for both states made the purge of the done walk over the failed, which stay longer. The queue is for counting them.
  'drop index jobs_ended',
  `create index jobs_done on jobs (finished_at, queue) where state = 'done'`,
  `create index jobs_failed on jobs (finished_at, queue) where state = 'failed'`,

  'drop index provider_webhooks_age',
  `create index provider_webhooks_applied on provider_webhooks (applied_at) where state = 'applied'`,
  `create index provider_webhooks_broken on provider_webhooks (received_at) where state = 'broken'`,

  `create index unmatched_statuses_ended on unmatched_statuses (received_at) where state in ('matched', 'dropped')`,

  // Ids are UUIDv7, so the primary key is in order of age already: one index less on a table of many writes.
  'drop index webhook_attempts_age',
];

const down = [
  'create index webhook_attempts_age on webhook_attempts (created_at)',
  'drop index unmatched_statuses_ended',
  'drop index provider_webhooks_broken',
  'drop index provider_webhooks_applied',
  'create index provider_webhooks_age on provider_webhooks (received_at)',
  'drop index jobs_failed',
  'drop index jobs_done',
  `create index jobs_ended on jobs (finished_at) where state in ('failed', 'done')`,
  'drop table purges',
];
