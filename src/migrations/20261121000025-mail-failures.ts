import { Migration } from '@mikro-orm/migrations';

/** A mail given up is told from one still to be sent, so that `jobs check` finds the latter without a job. */
export class MailFailures extends Migration {
  override name = '20261121000025-mail-failures';

  override up() {
    this.addSql('alter table mails add column failed_at timestamptz');
  }

  override down() {
    this.addSql('alter table mails drop column failed_at');
  }
}
