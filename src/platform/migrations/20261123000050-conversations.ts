import { Migration } from '@mikro-orm/migrations';
import { created, manyRowsEach, organization, tenant, times } from './columns.ts';

/** What a team does with a conversation: assigns, tags, snoozes and reads it, and writes notes. */
export class Conversations extends Migration {
  override name = '20261123000050-conversations';

  override up() {
    for (const statement of up) this.addSql(statement);
  }

  override down() {
    for (const statement of down) this.addSql(statement);
  }
}

const conversation = `conversation_id uuid not null,
     foreign key (organization_id, conversation_id) references conversations (organization_id, id) on delete cascade`;

/** The order of the lists. Every message changes it, so each index on it is one more entry for each message. */
const activity = 'coalesce(last_message_at, created_at)';

const up = [
  `alter table conversations
     add column assignee_id uuid,
     add column priority text not null default 'none',
     add column unread_count int not null default 0,
     add column snoozed_until timestamptz,
     add column custom_fields jsonb not null default '{}',
     add constraint conversations_priority_known check (priority in ('none', 'low', 'medium', 'high', 'urgent')),
     add constraint conversations_unread_count check (unread_count >= 0),
     add constraint conversations_snoozed_until check (snoozed_until is null or status = 'snoozed'),
     add constraint conversations_custom_fields check (jsonb_typeof(custom_fields) = 'object'),
     add constraint conversations_member foreign key (organization_id, assignee_id)
       references memberships (organization_id, user_id) on delete set null (assignee_id)`,
  `create index conversations_list on conversations (organization_id, (${activity}), id)`,
  `create index conversations_status on conversations (organization_id, status, (${activity}), id)`,
  // Without those of nobody, which are the most.
  `create index conversations_assignee on conversations (organization_id, assignee_id, (${activity}), id)
    where assignee_id is not null`,
  // For `jobs check`: a row only while a job waits to wake it.
  'create index conversations_snoozed on conversations (organization_id, id) where snoozed_until is not null',

  `create table conversation_tags (
     ${organization},
     ${conversation},
     tag_id uuid not null,
     ${created},
     constraint conversation_tags_pkey primary key (organization_id, conversation_id, tag_id),
     foreign key (organization_id, tag_id) references tags (organization_id, id) on delete cascade)`,
  'create index conversation_tags_tag on conversation_tags (organization_id, tag_id, conversation_id)',

  `create table conversation_notes (
     ${tenant},
     ${conversation},
     body text not null,
     author text not null,
     ${times})`,
  'create index conversation_notes_list on conversation_notes (organization_id, conversation_id, created_at, id)',

  ...manyRowsEach('conversation_tags', 'conversation_notes'),
];

const down = [
  'drop table conversation_notes',
  'drop table conversation_tags',
  'drop index conversations_snoozed',
  'drop index conversations_assignee',
  'drop index conversations_status',
  'drop index conversations_list',
  `alter table conversations
     drop column custom_fields,
     drop column snoozed_until,
     drop column unread_count,
     drop column priority,
     drop column assignee_id`,
];
