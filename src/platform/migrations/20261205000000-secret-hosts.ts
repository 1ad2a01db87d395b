import { Migration } from '@mikro-orm/migrations';

/** Where a call of a rule may send a secret. Those stored before have no host: none is sent until it is stored again. */
export class SecretHosts extends Migration {
  override name = '20261205000000-secret-hosts';

  override up() {
    this.addSql(`alter table automation_secrets add column hosts text[] not null default '{}'`);
  }

  override down() {
    this.addSql('alter table automation_secrets drop column hosts');
  }
}
