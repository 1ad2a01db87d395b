import { Migration } from '@mikro-orm/migrations';

/** Our id of the message that one answers. Those from before have none: to look it up for each would rewrite the table. */
export class AnsweredMessage extends Migration {
  override name = '20261125000141-answered-message';

  override up() {
    this.addSql('alter table messages add context_message_id uuid');
  }

  override down() {
    this.addSql('alter table messages drop context_message_id');
  }
}
