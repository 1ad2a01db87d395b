import { Migration } from '@mikro-orm/migrations';

/** A message that goes out at a time: `send_at` stays, `is_scheduled` until then. */
export class ScheduledMessages extends Migration {
  override name = '20261124000060-scheduled-messages';

  override up() {
    this.addSql('alter table messages add column send_at timestamptz, add column is_scheduled boolean not null default false');
    this.addSql('create index messages_scheduled on messages (organization_id, created_at, id) where is_scheduled');
  }

  override down() {
    this.addSql('drop index messages_scheduled');
    this.addSql('alter table messages drop column is_scheduled, drop column send_at');
  }
}
