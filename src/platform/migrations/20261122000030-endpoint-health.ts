import { Migration } from '@mikro-orm/migrations';

/** Since when an endpoint has had nothing but failures, and the mails that tell its owners. */
export class EndpointHealth extends Migration {
  override name = '20261122000030-endpoint-health';

  override up() {
    for (const statement of up) this.addSql(statement);
  }

  override down() {
    for (const statement of down) this.addSql(statement);
  }
}

const kinds = (...names: string[]) => [
  'alter table mails drop constraint mails_kind_check',
  `alter table mails add constraint mails_kind_check check (kind in (${names.map((name) => `'${name}'`).join(', ')}))`,
];

const up = [
  'alter table webhook_endpoints add column failing_since timestamptz, add column failing_told_at timestamptz',
  // Over all organizations, for the figures: a row only while an endpoint fails.
  'create index webhook_endpoints_failing on webhook_endpoints (failing_since) where failing_since is not null',
  ...kinds('invitation', 'password_reset', 'endpoint_failing', 'endpoint_disabled'),
];

const down = [
  `delete from mails where kind in ('endpoint_failing', 'endpoint_disabled')`,
  ...kinds('invitation', 'password_reset'),
  'drop index webhook_endpoints_failing',
  'alter table webhook_endpoints drop column failing_told_at, drop column failing_since',
];
