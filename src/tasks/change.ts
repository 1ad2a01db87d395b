import { holdMember } from '../organizations/members.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';
import { type GivenTask, readTaskFields } from './fields.ts';
import type { TaskStatus } from './task.entity.ts';
import type { TaskRow } from './task-row.ts';
import { changeTask, thisMoment } from './task-tx.ts';

export type TaskPatch = GivenTask & { revision?: number };

/** What is not given stays. Throws 404, 409 for a stale revision, 422 as createTask. */
export const patchTask = (tx: OwnTx, id: string, actor: string, { revision, ...given }: TaskPatch): Promise<TaskRow> =>
  changeTask(tx, id, { actor, revision }, async (task) => {
    // An assignee who is the same may have left meanwhile: that is no change.
    const { assignee_id, ...rest } = given;
    task.set(await readTaskFields((userId) => holdMember(task, userId), assignee_id === task.before.assignee_id ? rest : given));
  });

const ended: readonly TaskStatus[] = ['done', 'cancelled'];

/** Idempotent. Throws 404. */
export const completeTask = (tx: OwnTx, id: string, actor: string): Promise<TaskRow> =>
  changeTask(tx, id, { actor }, (task) => task.set({ status: 'done' }));

/** One that is open, or in progress, stays as it is. Throws 404. */
export const reopenTask = (tx: OwnTx, id: string, actor: string): Promise<TaskRow> =>
  changeTask(tx, id, { actor }, (task) => {
    if (ended.includes(task.before.status)) task.set({ status: 'open' });
  });

/** Into the bin. Throws 404, for one that is there already, too. */
export async function deleteTask(tx: OwnTx, id: string, actor: string): Promise<void> {
  await changeTask(tx, id, { actor }, (task) => task.set({ deleted_at: thisMoment() }));
}

/** Out of the bin; one that is not there stays as it is. Throws 404. */
export const restoreTask = (tx: OwnTx, id: string, actor: string): Promise<TaskRow> =>
  changeTask(tx, id, { actor, inBin: true }, (task) => task.set({ deleted_at: null }));
