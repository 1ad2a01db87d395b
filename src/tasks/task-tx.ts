import { isDeepStrictEqual } from 'node:util';
import type { HistoryChanges } from '../history/history.entity.ts';
import { writeHistory } from '../history/history.ts';
import { now } from '../platform/database/columns.ts';
import { notFound } from '../platform/errors.ts';
import { taskCompleted, taskCreated, taskDeleted, taskUpdated } from '../platform/events/crm-events.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';
import { assertRevision } from '../platform/revision.ts';
import { nowDate } from '../platform/time/clock.ts';
import { momentMs } from '../platform/time/moment.ts';
import { shownValue } from './history-values.ts';
import { moveReminder } from './reminders.ts';
import { Task } from './task.entity.ts';
import { getAnyTask, getTask, taskLock, type WholeTask } from './task-row.ts';

export type TaskFields = Pick<
  WholeTask,
  'title' | 'description' | 'description_rich' | 'status' | 'priority' | 'type' | 'assignee_id' | 'due_at' | 'remind_at'
>;
type Written = TaskFields & Pick<WholeTask, 'completed_at' | 'deleted_at'>;

/** A change of one task, whose lock it holds. Only this file makes one. */
export type TaskTx = OwnTx & {
  readonly taskId: string;
  readonly before: WholeTask;
  readonly actor: string;
  set(fields: Partial<Written>): void;
  /** Targets that came or went: the other ends' ids. */
  linked(field: 'targets', change: { from: string[]; to: string[] }): void;
};

export type ChangeOptions = {
  actor: string;
  /** The revision that the change was made from. */
  revision?: number;
  /** Of a task in the bin, too. */
  inBin?: boolean;
};

/** By the database's clock, as the history will show it. */
export const thisMoment = () => nowDate().toISOString();

const times = new Set(['due_at', 'remind_at', 'completed_at', 'deleted_at']);

function isSame(name: keyof Written, before: unknown, after: unknown) {
  if (times.has(name) && before && after) return momentMs(before as string) === momentMs(after as string);
  return isDeepStrictEqual(before, after);
}

/**
 * All that changed is one revision, one history row and one event, together with what its reminder needs. Throws 404, and 409 for a stale
 * revision.
 */
export async function changeTask(
  own: OwnTx,
  id: string,
  { actor, revision, inBin = false }: ChangeOptions,
  work: (tx: TaskTx) => Promise<void> | void,
): Promise<WholeTask> {
  own.assertLocked(taskLock(id));
  const before = await (inBin ? getAnyTask : getTask)(own, id);
  assertRevision('task', before.revision, revision);
  const given: Partial<Written> = {};
  const links: HistoryChanges = {};
  const tx: TaskTx = Object.assign(Object.create(own) as OwnTx, {
    taskId: id,
    before,
    actor,
    set: (fields: Partial<Written>) => void Object.assign(given, fields),
    linked: (field: string, change: HistoryChanges[string]) => void Object.assign(links, { [field]: change }),
  });
  await work(tx);
  const written = changedOf(before, withCompletion(before, given));
  const after = { ...before, ...written };
  const changes = { ...changesOf(before, after, Object.keys(written) as (keyof Written)[]), ...links };
  if (Object.keys(changes).length === 0) return before;
  const reminder = moveReminder(own, before, after);
  const change = { ...written, ...reminder, revision: before.revision + 1, updated_at: now() };
  // Deleted with the person it was about, which takes no lock of a task.
  if ((await own.update(Task, { id }, change)) === 0) throw notFound('Task');
  await tell(tx, after, changes);
  return getAnyTask(own, id);
}

function withCompletion(before: WholeTask, given: Partial<Written>): Partial<Written> {
  if (given.status === undefined || given.status === before.status) return given;
  return { ...given, completed_at: given.status === 'done' ? thisMoment() : null };
}

function changedOf(before: WholeTask, given: Partial<Written>): Partial<Written> {
  const entries = Object.entries(given) as [keyof Written, unknown][];
  return Object.fromEntries(entries.filter(([name, value]) => value !== undefined && !isSame(name, before[name], value)));
}

function changesOf(before: WholeTask, after: WholeTask, names: (keyof Written)[]): HistoryChanges {
  const each = names.map((name) => [name, { from: shownValue(name, before), to: shownValue(name, after) }]);
  return Object.fromEntries(each);
}

/** Needs the task's lock. */
async function tell(tx: TaskTx, after: WholeTask, changes: HistoryChanges) {
  const { before, taskId, actor } = tx;
  const changed = Object.keys(changes);
  const { status, assignee_id } = after;
  const data = { task_id: taskId, organization_id: tx.organizationId, status, assignee_id, changed };
  const moved = Boolean(before.deleted_at) !== Boolean(after.deleted_at);
  const event = moved ? (after.deleted_at ? taskDeleted : taskCreated) : taskUpdated;
  const eventId = tx.emit(event, data);
  if (status === 'done' && before.status !== 'done') tx.emit(taskCompleted, data);
  const revision = before.revision + 1;
  await writeHistory(tx, { object_kind: 'task', object_id: taskId, revision, event_id: eventId, actor, changes });
}
