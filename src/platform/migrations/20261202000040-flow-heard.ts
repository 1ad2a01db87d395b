import { Migration } from '@mikro-orm/migrations';

/** The newest time of the provider's words about a flow's status, by its own clock: `told_at` counts our own acts too, by ours. */
export class FlowHeard extends Migration {
  override name = '20261202000040-flow-heard';

  override up() {
    this.addSql('alter table flows add column heard_at timestamptz');
  }

  override down() {
    this.addSql('alter table flows drop column heard_at');
  }
}
