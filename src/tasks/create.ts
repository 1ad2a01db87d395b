import { isMember } from '../organizations/members.ts';
import { brokenReference } from '../platform/database/errors.ts';
import type { Own } from '../platform/database/own.ts';
import { taskCompleted, taskCreated } from '../platform/events/crm-events.ts';
import { uuidv7 } from '../platform/ids.ts';
import type { PartText } from '../platform/ledger/part.ts';
import type { Look } from '../platform/ledger/transact.ts';
import { Afterwards, type OwnTx } from '../platform/ledger/tx.ts';
import { type GivenTask, readTaskFields } from './fields.ts';
import { shownValue } from './history-values.ts';
import { moveReminder } from './reminders.ts';
import type { TargetRow } from './target-rows.ts';
import { assertTargets, newTargets, type TargetRef } from './targets.ts';
import type { TaskRow } from './task-row.ts';
import { type TaskFields, thisMoment } from './task-tx.ts';

export type NewTask = GivenTask & { title: string; targets?: TargetRef[] };

/** The fields to write, once all that they name is there. The database refuses what is gone when they are written. */
export type SeenForTask = { read: Partial<TaskFields> };

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

/** One statement writes the task with its targets, history and events. What it names may go meanwhile: the look says what is missing. */
export const creationOf = (own: Own, given: NewTask): Look<SeenForTask> => ({
  look: () => lookAround(own, given),
  locks: () => [],
  isOneTrip: true,
  outdatedBy: (error) => brokenReference(error) !== undefined,
});

/** Throws 422 for a fault in the rich text, an assignee who is no member, and each target that is not there. */
export async function lookAround(own: Own, { targets = [], title: _, ...given }: NewTask): Promise<SeenForTask> {
  await assertTargets(own, targets, (place) => `targets[${place}].`);
  return { read: await readTaskFields((userId) => isMember(own, userId), given) };
}

/** SQL: a part of the ledger's own statement, which then is the whole transaction. */
const insertTask: PartText = (
  ...[organization, id, title, description, rich, status, priority, type, assignee, due, remind, job, completed, actor, ...more]
) => {
  const [targets, contacts, conversations, deals, records, event, changes] = more;
  return `
  made as (
    insert into crm_tasks (
      organization_id, id, title, description, description_rich, status, priority, type, assignee_id, due_at, remind_at,
      reminder_job_id, completed_at, created_by)
    values (
      ${organization}, ${id}, ${title}, ${description}, ${rich}, ${status}, ${priority}, ${type}, ${assignee}, ${due}, ${remind},
      ${job}, ${completed}, ${actor})
    returning due_at::text, remind_at::text, completed_at::text, created_at::text, updated_at::text),
  made_targets as (
    insert into task_targets (
      organization_id, id, task_id, contact_id, conversation_id, deal_id, record_id, created_by, created_at, updated_at)
    select ${organization}::uuid, x.id, ${id}::uuid, x.contact_id, x.conversation_id, x.deal_id, x.record_id, ${actor},
           m.created_at::timestamptz, m.created_at::timestamptz
      from unnest(${targets}::uuid[], ${contacts}::uuid[], ${conversations}::uuid[], ${deals}::uuid[], ${records}::uuid[])
        as x(id, contact_id, conversation_id, deal_id, record_id), made m),
  made_history as (
    insert into crm_history (organization_id, object_kind, object_id, revision, event_id, actor, changes)
    values (${organization}, 'task', ${id}, 1, ${event}, ${actor}, ${changes}))`;
};

type Written = Pick<TaskRow, 'due_at' | 'remind_at' | 'completed_at' | 'created_at' | 'updated_at'>;

/** The task once it is written: the database gives its times. */
export function createTask(
  tx: OwnTx,
  actor: string,
  { targets = [], title }: Pick<NewTask, 'targets' | 'title'>,
  { read }: SeenForTask,
  id = uuidv7(),
): Afterwards<TaskRow> {
  // Nobody can know of it before the commit.
  tx.isNew('task', id);
  const fields: TaskFields = { ...empty, ...read, title };
  const isDone = fields.status === 'done';
  const row = { ...fields, id, completed_at: isDone ? thisMoment() : null, deleted_at: null, reminded_at: null };
  const { reminder_job_id } = moveReminder(tx, undefined, { ...row, reminder_job_id: null });
  const about = newTargets(targets);
  const names = ['title', ...Object.keys(read), 'completed_at'] as (keyof TaskFields | 'completed_at')[];
  const said = names.map((name) => [name, { from: null, to: shownValue(name, row) }] as const);
  const changes = Object.fromEntries([
    ...said.filter(([, { to }]) => to !== null && to !== ''),
    ...(about.length > 0 ? [['targets', { from: [], to: about.map(({ object_id }) => object_id) }] as const] : []),
  ]);
  const { status, assignee_id } = fields;
  const data = { task_id: id, organization_id: tx.organizationId, status, assignee_id, changed: Object.keys(changes) };
  const eventId = tx.emit(taskCreated, data);
  if (isDone) tx.emit(taskCompleted, data);
  const params = [
    ...[tx.organizationId, id, title, row.description, row.description_rich && JSON.stringify(row.description_rich), status],
    ...[row.priority, row.type, assignee_id, row.due_at, row.remind_at, reminder_job_id ?? null, row.completed_at, actor],
    about.map((target) => target.id),
    ...(['contact_id', 'conversation_id', 'deal_id', 'record_id'] as const).map((name) => about.map((target) => target[name])),
    ...[eventId, JSON.stringify(changes)],
  ];
  tx.include({ text: insertTask, params, gives: 'made' });
  return new Afterwards(() => {
    const written = tx.given<Written>('made')!;
    const { created_at, updated_at } = written;
    const shown = about.map(
      ({ object_id, object_kind, id: targetId }): TargetRow => ({
        ...{ id: targetId, object_id, object_kind, created_by: actor, created_at, updated_at },
      }),
    );
    return { ...fields, id, created_by: actor, revision: 1, ...written, targets: shown };
  });
}
