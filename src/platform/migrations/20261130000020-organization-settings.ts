import { Migration } from '@mikro-orm/migrations';

/** How often and when campaigns write, and when somebody answers. */
export class OrganizationSettings extends Migration {
  override name = '20261130000020-organization-settings';

  override up() {
    this.addSql(`alter table organizations
      add column frequency_cap jsonb,
      add column quiet_hours jsonb,
      add column timezone_field text,
      add column business_hours jsonb not null default '[]'`);
  }

  override down() {
    this.addSql(`alter table organizations
      drop column business_hours,
      drop column timezone_field,
      drop column quiet_hours,
      drop column frequency_cap`);
  }
}
