import { Migration } from '@mikro-orm/migrations';
import { created, manyRowsEach, organization, tenant, times } from './columns.ts';

/** Campaigns and their recipients (docs/decisions/0033-campaigns.md). */
export class Campaigns extends Migration {
  override name = '20261130000030-campaigns';

  override up() {
    for (const statement of up) this.addSql(statement);
  }

  override down() {
    for (const statement of down) this.addSql(statement);
  }
}

const ofCampaign =
  'campaign_id uuid not null, foreign key (organization_id, campaign_id) references campaigns (organization_id, id)';

const up = [
  // variants, audience, schedule, pace, guards: as in src/campaigns/campaign.entity.ts. alarm: what a message told about the whole campaign.
  // prepared: how far the audience is; null: not begun. paced_until: with a pace of its own, when the next message may be made. zones: those of its recipients. counts, figures: as last counted (src/platform/retention/campaign-figures.ts).
  // frozen_at: its recipients begin to go, and what was counted stays; purged_at: they are gone.
  `create table campaigns (
     ${tenant},
     name text not null,
     status text not null default 'draft'
       check (status in ('draft', 'scheduled', 'running', 'paused', 'completed', 'cancelled', 'failed')),
     phase text check (phase in ('preparing', 'sending', 'settling')),
     reason text not null default '',
     purpose text not null default 'marketing' check (purpose in ('marketing', 'service')),
     variants jsonb not null default '[]',
     audience jsonb not null default '{}',
     schedule jsonb not null default '{}',
     pace jsonb not null default '{}',
     guards jsonb not null default '{}',
     revision int not null default 1,
     alarm text,
     prepared jsonb,
     paced_until timestamptz,
     zones text[] not null default '{}',
     counts jsonb,
     counted_at timestamptz,
     counts_due_at timestamptz,
     figures jsonb,
     figured_at timestamptz,
     figures_due_at timestamptz,
     frozen_at timestamptz,
     purged_at timestamptz,
     job_id uuid,
     withdrawing boolean not null default false,
     created_by text not null default '',
     started_by text not null default '',
     start_at timestamptz,
     started_at timestamptz,
     paused_at timestamptz,
     resumed_at timestamptz,
     ended_at timestamptz,
     deleted_at timestamptz,
     ${times})`,
  'create index campaigns_list on campaigns (organization_id, created_at, id) where deleted_at is null',
  'create index campaigns_status on campaigns (organization_id, status, created_at, id) where deleted_at is null',
  // For `jobs check` and the figures: few campaigns are at work.
  `create index campaigns_at_work on campaigns (organization_id, id) where status in ('scheduled', 'running') or withdrawing`,
  'create index campaigns_ended on campaigns (ended_at) where ended_at is not null and purged_at is null',
  'create index campaigns_deleted on campaigns (deleted_at) where deleted_at is not null',

  `create table campaign_channels (
     ${organization},
     ${ofCampaign} on delete cascade,
     channel_id uuid not null,
     position int not null,
     primary key (organization_id, campaign_id, channel_id),
     foreign key (organization_id, channel_id) references channels (organization_id, id))`,

  // parameters: the columns of a file, by name. result_at: when it was first sent or failed. is_extra: of two contacts that became one.
  `create table campaign_recipients (
     ${tenant},
     ${ofCampaign},
     contact_id uuid,
     channel_id uuid not null,
     variant_id text not null default '',
     status text not null default 'pending'
       check (status in ('pending', 'queued', 'sent', 'delivered', 'read', 'failed', 'skipped')),
     reason text not null default '',
     failure_code text not null default '',
     zone text not null default 'UTC',
     due_at timestamptz not null default clock_timestamp(),
     parameters jsonb not null default '{}',
     message_id uuid,
     attempts int not null default 0,
     is_extra boolean not null default false,
     queued_at timestamptz,
     sent_at timestamptz,
     delivered_at timestamptz,
     read_at timestamptz,
     failed_at timestamptz,
     result_at timestamptz,
     replied_at timestamptz,
     clicked_at timestamptz,
     opted_out_at timestamptz,
     ${created},
     foreign key (organization_id, channel_id) references channels (organization_id, id),
     constraint campaign_recipients_contact foreign key (organization_id, contact_id)
       references contacts (organization_id, id) on delete set null (contact_id))`,
  `create unique index campaign_recipients_once on campaign_recipients (organization_id, campaign_id, contact_id)
    where contact_id is not null and not is_extra`,
  'create unique index campaign_recipients_message on campaign_recipients (organization_id, message_id) where message_id is not null',
  `create index campaign_recipients_due on campaign_recipients (organization_id, campaign_id, channel_id, zone, due_at, id)
    where status = 'pending'`,
  'create index campaign_recipients_status on campaign_recipients (organization_id, campaign_id, status, id)',
  // Only those who were skipped have a reason.
  `create index campaign_recipients_reason on campaign_recipients (organization_id, campaign_id, reason, id)
    where reason <> ''`,
  'create index campaign_recipients_list on campaign_recipients (organization_id, campaign_id, id)',
  `create index campaign_recipients_history on campaign_recipients (organization_id, contact_id, created_at, id)
    where contact_id is not null`,
  // The account's daily limit counts these.
  `create index campaign_recipients_channel on campaign_recipients (organization_id, channel_id, queued_at)
    where queued_at is not null`,
  `create index campaign_recipients_result on campaign_recipients (organization_id, campaign_id, result_at)
    where result_at is not null`,

  // No reference: an ended campaign goes in batches, and its messages stay.
  'alter table messages add column campaign_id uuid',

  // A file of recipients; null: of contacts. No reference: the file goes by itself after days.
  'alter table contact_exports add column campaign_id uuid',
  // The campaign's last recipient whose message went into it, until the person answers: an inbound message looks nowhere else. No reference: as above.
  'alter table conversations add column awaited_recipient_id uuid',

  ...manyRowsEach('campaigns', 'campaign_channels', 'campaign_recipients'),
];

const down = [
  'alter table contact_exports drop column campaign_id',
  'alter table conversations drop column awaited_recipient_id',
  'alter table messages drop column campaign_id',
  'drop table campaign_recipients',
  'drop table campaign_channels',
  'drop table campaigns',
];
