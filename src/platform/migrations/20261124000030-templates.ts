import { Migration } from '@mikro-orm/migrations';

/** Templates are made, changed and deleted over the API, and the provider tells of their quality and category. */
export class Templates extends Migration {
  override name = '20261124000030-templates';

  override up() {
    for (const statement of up) this.addSql(statement);
  }

  override down() {
    for (const statement of down) this.addSql(statement);
  }
}

const up = [
  `alter table templates
     alter column provider_template_id drop not null,
     add column doing text,
     add column change jsonb,
     add column submitted_at timestamptz,
     add column failure jsonb,
     add column reason text not null default '',
     add column quality text not null default '',
     add column previous_category text not null default '',
     add column approved_edits jsonb not null default '[]',
     add column status_at timestamptz,
     add column told_at timestamptz,
     add constraint templates_doing_known check (doing in ('submit', 'edit', 'delete'))`,
  'create index templates_list on templates (organization_id, created_at, id)',
  'create index templates_channel on templates (organization_id, channel_id, created_at, id)',
  // For `jobs check`: a row only while a job works for it.
  'create index templates_open on templates (organization_id, id) where doing is not null',
];

const down = [
  'drop index templates_open',
  'drop index templates_channel',
  'drop index templates_list',
  // The provider does not have these.
  'delete from templates where provider_template_id is null',
  `alter table templates
     drop column told_at,
     drop column status_at,
     drop column approved_edits,
     drop column previous_category,
     drop column quality,
     drop column reason,
     drop column failure,
     drop column submitted_at,
     drop column change,
     drop column doing,
     alter column provider_template_id set not null`,
];
