import { Migration } from '@mikro-orm/migrations';

/** When a paused rule paused: an edit of it changes `updated_at`, and would be counted as another pause. */
export class RulePausedAt extends Migration {
  override name = '20261203000010-rule-paused-at';

  override up() {
    this.addSql('alter table automation_rules add column paused_at timestamptz');
    this.addSql(`
      update automation_rules
         set paused_at = updated_at
       where status = 'paused'`);
  }

  override down() {
    this.addSql('alter table automation_rules drop column paused_at');
  }
}
