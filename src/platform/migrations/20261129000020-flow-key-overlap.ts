import { Migration } from '@mikro-orm/migrations';

/** Finds the keys before a rotation whose overlap is over: they are deleted. */
export class FlowKeyOverlap extends Migration {
  override name = '20261129000020-flow-key-overlap';

  override up() {
    this.addSql('create index flow_keys_overlap on flow_keys (expires_at) where expires_at is not null');
  }

  override down() {
    this.addSql('drop index flow_keys_overlap');
  }
}
