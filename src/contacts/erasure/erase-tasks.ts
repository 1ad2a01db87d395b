import { endDoneOfSubjects } from '../../platform/ledger/end-subjects.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';

/* SQL: tasks and their history are tables of an upper domain, which contacts must not import. */

/** Of tasks, whose rules contacts must not import. */
const remindJobName = 'tasks.remind';

const deleteOwnTasks = `
  with own as (
    select t.task_id as id
      from task_targets t
     where t.organization_id = $1
       and t.contact_id = $2
       and not exists (
         select 1
           from task_targets o
          where o.organization_id = $1 and o.task_id = t.task_id and o.id <> t.id))
  delete from crm_tasks
   where organization_id = $1
     and id = any(array(select id from own))
  returning id, status, assignee_id`;

const tasksAbout = `
  select task_id as id
    from task_targets
   where organization_id = $1
     and contact_id = $2
  union
  select task_id
    from task_targets
   where organization_id = $1
     and conversation_id = any($3::uuid[])
  union
  select task_id
    from task_targets
   where organization_id = $1
     and deal_id = any($4::uuid[])`;

/** The targets go with the contact, whose own event tells of it. */
const noteEnd = `
  with targets as materialized (
    select task_id
      from task_targets
     where organization_id = $1
       and contact_id = $2
       for update),
  raised as (
    update crm_tasks k
       set revision = k.revision + 1, updated_at = clock_timestamp()
     where k.organization_id = $1
       and k.id = any(array(select task_id from targets))
    returning k.id, k.revision)
  insert into crm_history (organization_id, object_kind, object_id, revision, actor, changes)
  select $1, 'task', r.id, r.revision, 'system',
         jsonb_build_object('targets', jsonb_build_object('from', jsonb_build_array($2::uuid), 'to', '[]'::jsonb))
    from raised r`;

const namesOf = `
  select name
    from contacts
   where organization_id = $1
     and id = $2
  union
  select profile_name
    from conversations
   where organization_id = $1
     and contact_id = $2`;

/** What its event will say: a reader of events hears of it once its history is gone too. */
export type GoneTask = { id: string; status: string; assignee_id: string | null };
/** `tasks`: about the person and something else, or about one of their deals, so that they stay; their words may name the person. */
export type TaskRemains = { names: string[]; tasks: string[]; goneTasks: GoneTask[] };

/** Deletes the tasks that are about nothing but the contact. Before the conversations are blanked. `deals`: the contact's. */
export async function eraseTasks(
  tx: OwnTx,
  contactId: string,
  { conversations, deals }: { conversations: string[]; deals: string[] },
): Promise<TaskRemains> {
  const names = await tx.sql<{ name: string }>(namesOf, [contactId]);
  const goneTasks = await tx.sql<GoneTask>(deleteOwnTasks, [contactId]);
  endDoneOfSubjects(
    tx,
    remindJobName,
    goneTasks.map(({ id }) => id),
  );
  await tx.sql(noteEnd, [contactId]);
  const left = await tx.sql<{ id: string }>(tasksAbout, [contactId, conversations, deals]);
  return { names: names.map(({ name }) => name).filter(Boolean), tasks: left.map(({ id }) => id), goneTasks };
}
