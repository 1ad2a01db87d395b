import { Migration } from '@mikro-orm/migrations';

const before = `'loop', 'chain_too_long', 'too_often', 'subject_busy', 'too_many_runs'`;

/** One more reason why a start is held back: the rule began too often, whatever its subjects. */
export class RuleStarts extends Migration {
  override name = '20261205000010-rule-starts';

  override up() {
    this.check(`${before}, 'rule_too_often'`);
  }

  override down() {
    this.addSql(`delete from automation_held where reason = 'rule_too_often'`);
    this.check(before);
  }

  private check(reasons: string) {
    this.addSql('alter table automation_held drop constraint automation_held_reason_check');
    this.addSql(`alter table automation_held add constraint automation_held_reason_check check (reason in (${reasons}))`);
  }
}
