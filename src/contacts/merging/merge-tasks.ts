import type { MergeTx } from './merge-tx.ts';

/* SQL: tables of tasks, which contacts must not import. */

/** A constraint of tasks: somebody said at the same moment that the task is about the other one. */
export const targetTaken = 'task_targets_once';

type Column = 'contact_id' | 'conversation_id';

/**
 * What was about the one is about the other; a task that was about both loses a target. Each task gets a revision and a row of history, and
 * the contacts' events tell of it. The targets are taken before the tasks, as by who links one.
 */
const moveTargets = (column: Column) => `
  with gone as materialized (
    select o.id, o.task_id
      from task_targets o
     where o.organization_id = $1
       and o.${column} = $2
       for update),
  kept as materialized (
    select s.task_id
      from task_targets s
     where s.organization_id = $1
       and s.${column} = $3
       and s.task_id = any(array(select task_id from gone))
       for update),
  moved as (
    update task_targets o
       set ${column} = $3, updated_at = clock_timestamp()
     where o.organization_id = $1
       and o.id = any(array(select id from gone where task_id not in (select task_id from kept)))
    returning o.task_id, $3::uuid as becomes),
  doubled as (
    delete from task_targets o
     where o.organization_id = $1
       and o.id = any(array(select id from gone where task_id in (select task_id from kept)))
    returning o.task_id, null::uuid as becomes),
  changed as materialized (
    select task_id, becomes
      from moved
    union all
    select task_id, becomes
      from doubled),
  raised as (
    update crm_tasks k
       set revision = k.revision + 1, updated_at = clock_timestamp()
     where k.organization_id = $1
       and k.id = any(array(select task_id from changed))
    returning k.id, k.revision)
  insert into crm_history (organization_id, object_kind, object_id, revision, actor, changes)
  select $1, 'task', r.id, r.revision, $4,
         jsonb_build_object('targets', jsonb_build_object('from', jsonb_build_array($2::uuid), 'to', to_jsonb(array_remove(array[c.becomes], null))))
    from raised r
    join changed c on c.task_id = r.id`;

const texts = { contact: moveTargets('contact_id'), conversation: moveTargets('conversation_id') };

export const moveTaskTargets = (tx: MergeTx, kind: keyof typeof texts, { from, into }: { from: string; into: string }) =>
  tx.sql(texts[kind], [from, into, tx.actor]);
