import { writeHistory } from '../history/history.ts';
import { taskCompleted, taskCreated } from '../platform/events/crm-events.ts';
import { uuidv7 } from '../platform/ids.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';
import { type GivenTask, readTaskFields } from './fields.ts';
import { shownValue } from './history-values.ts';
import { moveReminder } from './reminders.ts';
import { assertTargets, insertTargets, type TargetRef } from './targets.ts';
import { Task } from './task.entity.ts';
import { getTask, type TaskRow } from './task-row.ts';
import { type TaskFields, thisMoment } from './task-tx.ts';

export type NewTask = GivenTask & { title: string; targets?: TargetRef[] };

const empty: Omit<TaskFields, 'title'> = {
  description: '',
  description_rich: null,
  status: 'open',
  priority: 'normal',
  type: 'todo',
  assignee_id: null,
  due_at: null,
  remind_at: null,
};

/** Throws 422 for a fault in the rich text, an assignee who is no member, and each target that is not there. */
export async function createTask(tx: OwnTx, actor: string, { targets = [], title, ...given }: NewTask): Promise<TaskRow> {
  await assertTargets(tx, targets, (place) => `targets[${place}].`);
  const read = await readTaskFields(tx, given);
  const fields: TaskFields = { ...empty, ...read, title };
  const id = uuidv7();
  // Nobody can know of it before the commit.
  tx.isNew('task', id);
  const isDone = fields.status === 'done';
  const row = { ...fields, id, completed_at: isDone ? thisMoment() : null, deleted_at: null, reminded_at: null };
  const reminder = moveReminder(tx, undefined, { ...row, reminder_job_id: null });
  await tx.insert(Task, { ...row, reminder_job_id: null, ...reminder, created_by: actor });
  await insertTargets(tx, id, targets, actor);
  const names = ['title', ...Object.keys(read), 'completed_at'] as (keyof TaskFields | 'completed_at')[];
  const said = names.map((name) => [name, { from: null, to: shownValue(name, row) }] as const);
  const ids = [...new Set(targets.map(({ object_id }) => object_id))];
  const changes = Object.fromEntries([
    ...said.filter(([, { to }]) => to !== null && to !== ''),
    ...(ids.length > 0 ? [['targets', { from: [], to: ids }] as const] : []),
  ]);
  const { status, assignee_id } = fields;
  const data = { task_id: id, organization_id: tx.organizationId, status, assignee_id, changed: Object.keys(changes) };
  const eventId = tx.emit(taskCreated, data);
  if (isDone) tx.emit(taskCompleted, data);
  await writeHistory(tx, { object_kind: 'task', object_id: id, revision: 1, event_id: eventId, actor, changes });
  return getTask(tx, id);
}
