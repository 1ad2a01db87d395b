import { revisionTaken } from '../history/history.ts';
import type { Own } from '../platform/database/own.ts';
import type { RowOf } from '../platform/database/tables.ts';
import { notFound } from '../platform/errors.ts';
import { subjectLock } from '../platform/ledger/locks.ts';
import { type TargetRow, targetsOf } from './target-rows.ts';
import type { Task } from './task.entity.ts';

type Column =
  | (
      | 'id'
      | 'title'
      | 'description'
      | 'description_rich'
      | 'status'
      | 'priority'
      | 'type'
      | 'assignee_id'
      | 'due_at'
      | 'remind_at'
    )
  | ('completed_at' | 'created_by' | 'revision' | 'created_at' | 'updated_at');
/** `targets` in the order in which they were added, without those in the bin. */
export type TaskRow = RowOf<typeof Task, Column> & { targets: TargetRow[] };
/** What a change needs beside what the API shows. */
export type WholeTask = TaskRow & RowOf<typeof Task, 'reminded_at' | 'reminder_job_id' | 'deleted_at'>;

export const taskLock = (id: string) => subjectLock('task', id);

/** A merge moves targets under the locks of what they are alone. */
export const taskWrite = (id: string, more: string[] = []) => ({
  locks: [taskLock(id), ...more],
  retryOn: [revisionTaken, 'task_targets_once'],
});

/** The fields of the wire, from a table or CTE called `k`. */
export const taskColumns = `
  k.id, k.title, k.description, k.description_rich, k.status, k.priority, k.type, k.assignee_id, k.due_at, k.remind_at,
  k.completed_at, k.created_by, k.revision, k.created_at, k.updated_at,
  ${targetsOf} as targets`;

/** SQL: its targets are a list made of a second table. */
const byId = `
  select ${taskColumns}, k.reminded_at, k.reminder_job_id, k.deleted_at
    from crm_tasks k
   where k.organization_id = $1
     and k.id = $2`;

/** In the bin too. Throws 404. */
export async function getAnyTask(own: Own, id: string): Promise<WholeTask> {
  const [row] = await own.sql<WholeTask>(byId, [id]);
  if (!row) throw notFound('Task');
  return row;
}

/** Throws 404 for one in the bin, too. */
export async function getTask(own: Own, id: string): Promise<WholeTask> {
  const row = await getAnyTask(own, id);
  if (row.deleted_at) throw notFound('Task');
  return row;
}
