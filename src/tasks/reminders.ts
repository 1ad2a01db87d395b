import type { Own } from '../platform/database/own.ts';
import type { Cause } from '../platform/events/cause.ts';
import { taskDue } from '../platform/events/crm-events.ts';
import { endDoneOfSubjects } from '../platform/ledger/end-subjects.ts';
import type { Enqueued, OwnTx } from '../platform/ledger/tx.ts';
import { now } from '../platform/time/clock.ts';
import { momentMs } from '../platform/time/moment.ts';
import type { TaskStatus } from './task.entity.ts';
import type { WholeTask } from './task-row.ts';

/** `origin`: the cause of whoever set the time, as JSON, where rules led to it: the reminder is their effect, too. Empty: none did. */
export type ReminderPayload = { task_id: string; origin: string };

/** What the rules know of the job; the rest of it is in jobs.ts. */
export const remindOfTask: Enqueued<ReminderPayload> = {
  name: 'tasks.remind',
  queue: 'default',
  subjectType: 'task',
  subject: 'task_id',
  operation: false,
};

type Reminded = Pick<WholeTask, 'id' | 'status' | 'due_at' | 'remind_at' | 'deleted_at' | 'reminded_at' | 'reminder_job_id'>;
/** What to write into the task. */
export type ReminderChange = { reminder_job_id?: string | null };

const ended: readonly TaskStatus[] = ['done', 'cancelled'];

/** When it reminds, if that time comes; null: it does not. */
function remindsAtMs({ status, due_at, remind_at, deleted_at }: Reminded): number | null {
  const at = remind_at ?? due_at;
  return at === null || deleted_at || ended.includes(status) ? null : momentMs(at);
}

/** One job for each task that reminds at a time ahead. A time that is past when it is set reminds nobody. Needs the task's lock. */
export function moveReminder(tx: OwnTx, before: Reminded | undefined, after: Reminded): ReminderChange {
  const atMs = remindsAtMs(after);
  if (before && remindsAtMs(before) === atMs) return {};
  if (before?.reminder_job_id) callOffReminders(tx, [after.id]);
  return { reminder_job_id: atMs === null || hasReminded(after, atMs) ? null : remindIn(tx, after.id, atMs - now()) };
}

/** The clock of a process may be a little behind the database's, by which it was reminded. */
const hasReminded = ({ reminded_at }: Reminded, atMs: number) => reminded_at !== null && momentMs(reminded_at) >= atMs;

const originOf = ({ cause }: OwnTx) => (cause?.chain ? JSON.stringify(cause) : '');

const remindIn = (tx: OwnTx, id: string, delayMs: number) =>
  delayMs > 0 ? tx.enqueue(remindOfTask, { task_id: id, origin: originOf(tx) }, { delayMs }) : null;

/** Of tasks that remind no more, or at another time. Needs their locks. */
export const callOffReminders = (tx: OwnTx, ids: string[]) => endDoneOfSubjects(tx, remindOfTask.name, ids);

/** SQL: by the database's clock. */
const leftStatement = `
  select extract(epoch from coalesce(remind_at, due_at) - clock_timestamp())::float8 * 1000 as left_ms
    from crm_tasks
   where organization_id = $1
     and id = $2
     and reminder_job_id = $3`;

/** Below 0: its time has come. Undefined: it is another job's turn, or nobody's. */
export async function remindsInMs(own: Own, id: string, jobId: string): Promise<number | undefined> {
  const [row] = await own.sql<{ left_ms: number }>(leftStatement, [id, jobId]);
  return row?.left_ms;
}

const remindStatement = `
  update crm_tasks
     set reminded_at = clock_timestamp(),
         reminder_job_id = null
   where organization_id = $1
     and id = $2
     and reminder_job_id = coalesce($3::uuid, reminder_job_id)
  returning status, assignee_id`;

/** Without a job whichever waits is meant. Needs the task's lock. Idempotent. */
export async function remind(tx: OwnTx, { task_id: id, origin }: ReminderPayload, jobId?: string): Promise<void> {
  const [task] = await tx.sql<Pick<WholeTask, 'status' | 'assignee_id'>>(remindStatement, [id, jobId ?? null]);
  const cause = origin ? (JSON.parse(origin) as Cause) : undefined;
  if (task) tx.emit(taskDue, { task_id: id, organization_id: tx.organizationId, ...task, changed: [] }, { cause });
}
