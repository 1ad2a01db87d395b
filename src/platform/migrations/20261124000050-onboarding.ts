import { Migration } from '@mikro-orm/migrations';
import { manyRowsEach, tenant, times } from './columns.ts';

/** Numbers on their way to a channel. */
export class Onboarding extends Migration {
  override name = '20261124000050-onboarding';

  override up() {
    for (const statement of statements) this.addSql(statement);
  }

  override down() {
    this.addSql('drop table onboardings');
  }
}

const statements = [
  // `channel_id` is no reference: it says what the onboarding came to, also when the channel is deleted later.
  `create table onboardings (
     ${tenant},
     channel_id uuid,
     account_id text,
     phone_number_id text,
     current_step text not null
       check (current_step in ('exchange_token', 'subscribe_webhook', 'register_phone', 'sync_assets', 'completed')),
     step_status text not null check (step_status in ('pending', 'in_progress', 'completed', 'failed')),
     completed_steps text[] not null,
     error text,
     channel_name text,
     rate int not null check (rate between 1 and 1000),
     code text,
     code_hash text,
     access_token text,
     pin text,
     ${times},
     constraint onboardings_completed check ((current_step = 'completed') = (step_status = 'completed')))`,
  'create index onboardings_list on onboardings (organization_id, created_at, id)',
  // For the purge, and for `jobs check`.
  `create index onboardings_unfinished on onboardings (updated_at) where current_step <> 'completed'`,
  ...manyRowsEach('onboardings'),
];
