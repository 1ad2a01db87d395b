import { Migration } from '@mikro-orm/migrations';

/** How far the operation has come that takes leaving options out of records; null: at the beginning. Adding it rewrites no table. */
export class ReplacedOptions extends Migration {
  override name = '20261125000170-replaced-options';

  override up() {
    this.addSql('alter table object_fields add replaced_to uuid');
  }

  override down() {
    this.addSql('alter table object_fields drop replaced_to');
  }
}
