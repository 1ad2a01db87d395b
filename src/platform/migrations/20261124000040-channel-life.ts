import { Migration } from '@mikro-orm/migrations';
import { manyRowsEach, organization, times } from './columns.ts';

/** A channel can be deleted while its messages stay, and what its provider says of it is kept. */
export class ChannelLife extends Migration {
  override name = '20261124000040-channel-life';

  override up() {
    for (const statement of up) this.addSql(statement);
  }

  override down() {
    for (const statement of down) this.addSql(statement);
  }
}

const up = [
  'alter table channels add column deleted_at timestamptz',
  'alter table channels drop constraint channels_phone_number_id',
  // The number of a deleted channel is free.
  'create unique index channels_phone_number_id on channels (phone_number_id) where deleted_at is null',
  // For the look-up by number or account: the index above holds no deleted rows, so that reading all of it looks as good as two look-ups.
  'create index channels_number on channels (phone_number_id)',

  // Apart from `channels`, whose rows every send reads. In the provider's words, in small letters; empty: not told yet.
  `create table channel_health (
     ${organization},
     channel_id uuid not null,
     token_state text not null default 'unknown' check (token_state in ('unknown', 'valid', 'invalid')),
     quality text not null default 'unknown' check (quality in ('unknown', 'green', 'yellow', 'red')),
     messaging_limit text not null default '',
     throughput text not null default '',
     verified_name text not null default '',
     name_status text not null default '',
     account_status text not null default '',
     account_told_at timestamptz,
     is_subscribed boolean,
     last_inbound_at timestamptz,
     last_outbound_at timestamptz,
     problem text not null default '',
     checked_at timestamptz,
     next_check_at timestamptz not null default clock_timestamp(),
     ${times},
     constraint channel_health_pkey primary key (organization_id, channel_id),
     foreign key (organization_id, channel_id) references channels (organization_id, id) on delete cascade)`,
  'create index channel_health_due on channel_health (next_check_at)',
  `insert into channel_health (organization_id, channel_id)
   select organization_id, id
     from channels`,
  ...manyRowsEach('channel_health'),
];

const down = [
  'drop table channel_health',
  'drop index channels_number',
  'drop index channels_phone_number_id',
  // A number may be connected again since: the deleted channel gives its own away.
  `update channels
      set phone_number_id = id::text
    where deleted_at is not null`,
  'alter table channels add constraint channels_phone_number_id unique (phone_number_id)',
  'alter table channels drop column deleted_at',
];
