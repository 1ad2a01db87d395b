import { Migration } from '@mikro-orm/migrations';
import { created, manyRowsEach, tenant } from './columns.ts';

/** Tries of a send that did not pass, and what the provider's statuses told of a message. */
export class MessageTimeline extends Migration {
  override name = '20261123000030-message-timeline';

  override up() {
    for (const statement of up) this.addSql(statement);
  }

  override down() {
    this.addSql('drop table message_attempts');
    this.addSql('alter table messages drop column told');
  }
}

const up = [
  // Null until a status comes: a new message is no longer than it was.
  'alter table messages add column told jsonb',
  // A first try that passed has no row: its message tells of it.
  `create table message_attempts (
     ${tenant},
     message_id uuid not null,
     number int not null,
     job_id uuid,
     run int,
     trigger text not null check (trigger in ('first', 'schedule', 'resend', 'retry')),
     outcome text not null check (outcome in ('accepted', 'failed', 'unknown')),
     error_class text check (error_class in ('refused', 'channel_refused', 'busy', 'unavailable', 'no_answer', 'lost')),
     provider_code text,
     reason text not null default '',
     duration_ms int,
     started_at timestamptz not null,
     retried_at timestamptz,
     ${created},
     constraint message_attempts_number unique (organization_id, message_id, number),
     foreign key (organization_id, message_id) references messages (organization_id, id) on delete cascade)`,
  ...manyRowsEach('message_attempts'),
];
