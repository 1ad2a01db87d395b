import { Migration } from '@mikro-orm/migrations';

/** Messages of a group of the messaging app have a conversation of their own, of no single contact. */
export class Groups extends Migration {
  override name = '20261205000010-groups';

  override up() {
    this.addSql(`alter table conversations add column group_id text not null default ''`);
    this.addSql(
      `create unique index conversations_group on conversations (organization_id, channel_id, group_id) where group_id <> ''`,
    );
  }

  override down() {
    this.addSql('drop index conversations_group');
    this.addSql('alter table conversations drop column group_id');
  }
}
