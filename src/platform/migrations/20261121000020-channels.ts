import { Migration } from '@mikro-orm/migrations';
import { manyRowsEach, tenant, times } from './columns.ts';

/** The numbers at messaging providers, and their templates. */
export class Channels extends Migration {
  override name = '20261121000020-channels';

  override up() {
    for (const statement of statements) this.addSql(statement);
  }

  override down() {
    this.addSql('drop table templates');
    this.addSql('drop table channels');
  }
}

const statements = [
  `create table channels (
     ${tenant},
     provider text not null,
     name text not null,
     phone_number_id text not null constraint channels_phone_number_id unique,
     account_id text not null,
     display_phone text not null,
     status text not null check (status in ('connected', 'disconnected', 'auth_error', 'restricted')),
     access_token text not null,
     app_secret text,
     verify_token text,
     rate int not null check (rate between 1 and 1000),
     ${times})`,
  'create index channels_list on channels (organization_id, created_at, id)',
  // The provider's webhooks name the channel or its account, before the organization is known.
  'create index channels_id on channels (id)',
  'create index channels_account on channels (account_id)',

  `create table templates (
     ${tenant},
     channel_id uuid not null,
     provider_template_id text not null,
     name text not null,
     language text not null,
     category text not null,
     status text not null check (status in ('draft', 'pending', 'approved', 'rejected', 'paused', 'disabled')),
     components jsonb not null,
     ${times},
     constraint templates_name unique (organization_id, channel_id, name, language),
     foreign key (organization_id, channel_id) references channels (organization_id, id) on delete cascade)`,
  'create index templates_provider on templates (organization_id, provider_template_id)',

  ...manyRowsEach('channels', 'templates'),
];
