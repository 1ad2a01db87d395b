import { Migration } from '@mikro-orm/migrations';

/** The answer to a send looks for kept statuses of its message. `assert_that` undoes a statement whose commit is already on its way. */
export class KeptStatuses extends Migration {
  override name = '20261122010000-kept-statuses';

  override up() {
    this.addSql(`
create function assert_that(holds boolean, code text) returns boolean language plpgsql volatile as $$
begin
  if holds then return true; end if;
  raise exception 'What the statement rests on has changed' using errcode = code;
end $$`);
    this.addSql(
      'create index unmatched_statuses_message on unmatched_statuses (organization_id, channel_id, provider_message_id)',
    );
    // The new index begins with the same columns.
    this.addSql('drop index unmatched_statuses_channel');
  }

  override down() {
    this.addSql('create index unmatched_statuses_channel on unmatched_statuses (organization_id, channel_id)');
    this.addSql('drop index unmatched_statuses_message');
    this.addSql('drop function assert_that(boolean, text)');
  }
}
