import type { Own } from '../platform/database/own.ts';
import type { RowOf } from '../platform/database/tables.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';
import type { Task } from './task.entity.ts';
import { changeTask } from './task-tx.ts';

/** Of one transaction: it holds the lock of each. */
export const maxAtOnce = 100;

/** SQL: by the index of assignees. */
const assignedTo = `
  select id
    from crm_tasks
   where organization_id = $1 and assignee_id = $2 and deleted_at is null
   order by id
   limit ${maxAtOnce + 1}`;

/** Live tasks of an assignee who leaves; none where there are more than one transaction changes one by one. */
export async function tasksToRelease(own: Own, userId: string): Promise<string[]> {
  const found = await own.sql<RowOf<typeof Task, 'id'>>(assignedTo, [userId]);
  return found.length > maxAtOnce ? [] : found.map(({ id }) => id);
}

/** SQL: a set, and without the locks of the tasks, as a merge of contacts changes them. */
const releaseOthers = `
  with raised as (
    update crm_tasks k
       set assignee_id = null, revision = k.revision + 1, updated_at = clock_timestamp()
     where k.organization_id = $1
       and k.assignee_id = $2
    returning k.id, k.revision)
  insert into crm_history (organization_id, object_kind, object_id, revision, actor, changes)
  select $1, 'task', r.id, r.revision, $3, jsonb_build_object('assignee_id', jsonb_build_object('from', $2::uuid, 'to', null))
    from raised r`;

/**
 * An assignee who leaves has no tasks: up to `maxAtOnce` change one by one, with their events. Of more, and of those in the bin, each gets
 * its revision and its row of history alone. Needs the locks of `tasksToRelease` and the membership. Its write repeats on `revisionTaken`.
 */
export async function releaseTasks(tx: OwnTx, userId: string, actor: string): Promise<void> {
  for (const id of await tasksToRelease(tx, userId))
    await changeTask(tx, id, { actor }, (task) => task.set({ assignee_id: null }));
  await tx.sql(releaseOthers, [userId, actor]);
}
