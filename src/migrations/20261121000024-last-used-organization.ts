import { Migration } from '@mikro-orm/migrations';

/** Which organization a user was in last outlives the session in which he was there. */
export class LastUsedOrganization extends Migration {
  override name = '20261121000024-last-used-organization';

  override up() {
    this.addSql('alter table memberships add column used_at timestamptz');
  }

  override down() {
    this.addSql('alter table memberships drop column used_at');
  }
}
