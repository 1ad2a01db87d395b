import { Migration } from '@mikro-orm/migrations';
import { manyRowsEach, tenant, times } from './columns.ts';

/** Tasks of the team, and what they are about. */
export class Tasks extends Migration {
  override name = '20261125000040-tasks';

  override up() {
    for (const statement of up) this.addSql(statement);
  }

  override down() {
    for (const statement of down) this.addSql(statement);
  }
}

const up = [
  // description: the words of description_rich, which is {type, json}. reminder_job_id: the job that waits to emit task.due.
  `create table crm_tasks (
     ${tenant},
     title text not null,
     description text not null default '',
     description_rich jsonb,
     status text not null default 'open' check (status in ('open', 'in_progress', 'done', 'cancelled')),
     priority text not null default 'normal' check (priority in ('low', 'normal', 'high', 'urgent')),
     type text not null default 'todo' check (type in ('todo', 'call', 'meeting', 'message')),
     assignee_id uuid,
     due_at timestamptz,
     remind_at timestamptz,
     reminded_at timestamptz,
     reminder_job_id uuid,
     completed_at timestamptz,
     created_by text not null default '',
     revision int not null default 1,
     search text not null generated always as (' ' || searchable(title || E'\\n' || description)) stored,
     deleted_at timestamptz,
     ${times},
     constraint crm_tasks_assignee_member foreign key (organization_id, assignee_id)
       references memberships (organization_id, user_id) on delete set null (assignee_id))`,
  // Whether a search is of a frequent word decides between its index and a walk in the order of the list.
  'alter table crm_tasks alter search set statistics 1000',
  'create index crm_tasks_list on crm_tasks (organization_id, created_at, id) where deleted_at is null',
  'create index crm_tasks_updated on crm_tasks (organization_id, updated_at, id) where deleted_at is null',
  'create index crm_tasks_status on crm_tasks (organization_id, status, created_at, id) where deleted_at is null',
  // Those in the bin too: a member who leaves is taken from them all.
  `create index crm_tasks_assignee on crm_tasks (organization_id, assignee_id, status, (coalesce(due_at, 'infinity'::timestamptz)), id)
    where assignee_id is not null`,
  `create index crm_tasks_due on crm_tasks (organization_id, (coalesce(due_at, 'infinity'::timestamptz)), id) where deleted_at is null`,
  // The planner does not use what it knows of that index.
  `create statistics crm_tasks_due_values on (coalesce(due_at, 'infinity'::timestamptz)) from crm_tasks`,
  'create index crm_tasks_search on crm_tasks using gin (organization_id, search gin_trgm_ops) where deleted_at is null',
  'create index crm_tasks_bin on crm_tasks (deleted_at) where deleted_at is not null',
  // For `jobs check`: a row only while a job waits to remind.
  'create index crm_tasks_reminding on crm_tasks (organization_id, id) where reminder_job_id is not null',

  // One of the object's columns is set: the database refuses what is foreign or gone.
  `create table task_targets (
     ${tenant},
     task_id uuid not null,
     contact_id uuid,
     conversation_id uuid,
     deal_id uuid,
     record_id uuid,
     object_id uuid not null generated always as (coalesce(contact_id, conversation_id, deal_id, record_id)) stored,
     created_by text not null default '',
     ${times},
     check (num_nonnulls(contact_id, conversation_id, deal_id, record_id) = 1),
     constraint task_targets_once unique (organization_id, task_id, object_id),
     foreign key (organization_id, task_id) references crm_tasks (organization_id, id) on delete cascade,
     foreign key (organization_id, contact_id) references contacts (organization_id, id) on delete cascade,
     foreign key (organization_id, conversation_id) references conversations (organization_id, id) on delete cascade,
     foreign key (organization_id, deal_id) references deals (organization_id, id) on delete cascade,
     foreign key (organization_id, record_id) references records (organization_id, id) on delete cascade)`,
  ...['contact_id', 'conversation_id', 'deal_id', 'record_id'].map(
    (column) =>
      `create index task_targets_${column.replace('_id', '')} on task_targets (organization_id, ${column}, task_id) where ${column} is not null`,
  ),

  ...manyRowsEach('crm_tasks', 'task_targets'),
];

const down = ['drop table task_targets', 'drop table crm_tasks'];
