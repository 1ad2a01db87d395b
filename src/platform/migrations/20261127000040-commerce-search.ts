import { Migration } from '@mikro-orm/migrations';

const tables = ['orders', 'products'];

/** As of the other searched tables: by a coarser sample a rare name can look frequent, and then the whole list is walked for it. */
export class CommerceSearch extends Migration {
  override name = '20261127000040-commerce-search';

  override up() {
    for (const table of tables) this.addSql(`alter table ${table} alter search set statistics 1000`);
  }

  override down() {
    for (const table of tables) this.addSql(`alter table ${table} alter search set statistics -1`);
  }
}
