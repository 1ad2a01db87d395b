import { Migration } from '@mikro-orm/migrations';

/** The keys a member made, and those made by these keys, are found from their maker. */
export class KeyMakers extends Migration {
  override name = '20261122004000-key-makers';

  override up() {
    this.addSql('create index api_keys_maker on api_keys (organization_id, created_by)');
  }

  override down() {
    this.addSql('drop index api_keys_maker');
  }
}
