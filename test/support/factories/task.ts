import { atOnce } from '../../../src/platform/ledger/at-once.ts';
import type { OwnTx } from '../../../src/platform/ledger/tx.ts';
import { createTask, lookAround, type NewTask } from '../../../src/tasks/create.ts';
import type { TaskRow } from '../../../src/tasks/task-row.ts';

/** Several in one transaction, too. */
export async function task(tx: OwnTx, actor: string, given: NewTask): Promise<TaskRow> {
  const seen = await lookAround(tx, given);
  return (await atOnce(tx, (own) => createTask(own, actor, given, seen))).read();
}
