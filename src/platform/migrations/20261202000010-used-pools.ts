import { Migration } from '@mikro-orm/migrations';

/** When a pool that is made where it is needed was last asked for: of the host of a call. Those that are old go (src/platform/retention/purges.ts). */
export class UsedPools extends Migration {
  override name = '20261202000010-used-pools';

  override up() {
    this.addSql('alter table pools add column used_at timestamptz');
    this.addSql(used);
    this.addSql('create index pools_used on pools (used_at) where used_at is not null');
  }

  override down() {
    this.addSql('alter table pools drop column used_at');
  }
}

const used = `
  update pools
     set used_at = clock_timestamp()
   where id like 'http:%'`;
