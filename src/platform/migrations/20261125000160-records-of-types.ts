import { Migration } from '@mikro-orm/migrations';
import { distinctValues } from './columns.ts';

/** A plan made while there is one type must not find a type's records by walking over those of all. */
export class RecordsOfTypes extends Migration {
  override name = '20261125000160-records-of-types';

  override up() {
    for (const statement of distinctValues('records', 'type_id', 1_000)) this.addSql(statement);
  }

  override down() {
    this.addSql('alter table records alter column type_id reset (n_distinct)');
  }
}
