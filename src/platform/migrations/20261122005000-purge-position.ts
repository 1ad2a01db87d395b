import { Migration } from '@mikro-orm/migrations';

/** Where a purge whose time was over goes on. */
export class PurgePosition extends Migration {
  override name = '20261122005000-purge-position';

  override up() {
    this.addSql('alter table purges add column position jsonb');
  }

  override down() {
    this.addSql('alter table purges drop column position');
  }
}
