import { Migration } from '@mikro-orm/migrations';
import { manyRowsEach, tenant } from './columns.ts';

/** What providers tell us: kept as it came, then applied. */
export class ProviderWebhooks extends Migration {
  override name = '20261121000060-provider-webhooks';

  override up() {
    for (const statement of statements) this.addSql(statement);
  }

  override down() {
    this.addSql('drop table unmatched_statuses');
    this.addSql('drop table provider_webhooks');
  }
}

const channel = 'foreign key (organization_id, channel_id) references channels (organization_id, id) on delete cascade';

// A purge looks by an index that is partial by state: it never reads what it must keep.
const statements = [
  // One row an organization: of a body that speaks of several tenants each keeps its own changes only. Bytes, since jsonb refuses NUL.
  `create table provider_webhooks (
     ${tenant},
     channel_id uuid,
     body bytea not null,
     state text not null check (state in ('received', 'applied', 'broken')),
     errors jsonb,
     received_at timestamptz not null default clock_timestamp(),
     applied_at timestamptz,
     ${channel})`,
  `create index provider_webhooks_unapplied on provider_webhooks (organization_id, received_at) where state = 'received'`,
  `create index provider_webhooks_applied on provider_webhooks (applied_at) where state = 'applied'`,
  `create index provider_webhooks_broken on provider_webhooks (received_at) where state = 'broken'`,

  `create table unmatched_statuses (
     ${tenant},
     channel_id uuid not null,
     provider_message_id text not null,
     status jsonb not null,
     state text not null check (state in ('waiting', 'matched', 'dropped')),
     received_at timestamptz not null default clock_timestamp(),
     ${channel})`,
  `create index unmatched_statuses_open on unmatched_statuses (organization_id, id) where state = 'waiting'`,
  'create index unmatched_statuses_message on unmatched_statuses (organization_id, channel_id, provider_message_id)',
  `create index unmatched_statuses_ended on unmatched_statuses (received_at) where state in ('matched', 'dropped')`,

  ...manyRowsEach('provider_webhooks', 'unmatched_statuses'),
];
