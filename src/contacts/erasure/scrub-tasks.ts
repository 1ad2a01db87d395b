import { isDeepStrictEqual } from 'node:util';
import { scrubHistory } from '../../history/scrub.ts';
import type { Own } from '../../platform/database/own.ts';
import { taskDeleted } from '../../platform/events/crm-events.ts';
import { subjectLock } from '../../platform/ledger/locks.ts';
import type { Transact } from '../../platform/ledger/transact.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import type { Remains } from './erase.ts';
import type { GoneTask } from './erase-tasks.ts';
import { tracesOf } from './traces.ts';

/* SQL: tasks and their history are tables of an upper domain, which contacts must not import. */

const readWords = `
  select title, description, description_rich
    from crm_tasks
   where organization_id = $1
     and id = $2`;
const writeWords = `
  update crm_tasks
     set title = $3,
         description = $4,
         description_rich = $5::jsonb,
         updated_at = clock_timestamp()
   where organization_id = $1
     and id = $2`;
const dropHistory = `
  delete from crm_history
   where organization_id = $1
     and object_id = $2
  returning 1`;

type Rich = { type: string; json: unknown };
type Words = { title: string; description: string; description_rich: Rich | null };
type Clean = ReturnType<typeof tracesOf>;

/**
 * Blanks the person in the words and the history of the tasks that were about them too, and drops the history of those that were deleted,
 * with the event that tells of it. Idempotent.
 */
export async function scrubTasks(transact: Transact, own: Own, { identities, names, tasks, goneTasks }: Remains): Promise<void> {
  const clean = tracesOf(identities, names);
  for (const gone of goneTasks)
    await transact({ locks: [subjectLock('task', gone.id)] }, (tx) => forget(tx.of(own.organizationId), gone));
  for (const id of tasks) {
    const within = <Result>(work: (tx: OwnTx) => Promise<Result>) =>
      transact({ locks: [subjectLock('task', id)] }, (tx) => work(tx.of(own.organizationId)));
    await within((tx) => scrubWords(tx, id, clean));
    await scrubHistory(within, id, clean);
  }
}

async function forget(tx: OwnTx, { id, status, assignee_id }: GoneTask) {
  const dropped = await tx.sql(dropHistory, [id]);
  if (dropped.length === 0) return;
  tx.emit(taskDeleted, { task_id: id, organization_id: tx.organizationId, status, assignee_id, changed: [] });
}

async function scrubWords(tx: OwnTx, id: string, clean: Clean) {
  const [task] = await tx.sql<Words>(readWords, [id]);
  if (!task) return;
  const [title, description] = clean([task.title, task.description] as const);
  const description_rich = task.description_rich && withoutWords(task.description_rich, clean);
  if (isDeepStrictEqual(task, { title, description, description_rich })) return;
  await tx.sql(writeWords, [id, title, description, description_rich && JSON.stringify(description_rich)]);
}

const withoutWords = ({ type, json }: Rich, clean: Clean): Rich => ({
  type,
  json: type === 'custom' ? clean(json) : withoutWordsOfNodes(json, clean),
});

/** A document whose nodes we know stays one: somebody may be called Link. */
function withoutWordsOfNodes(node: unknown, clean: Clean): unknown {
  if (Array.isArray(node)) return node.map((one) => withoutWordsOfNodes(one, clean));
  if (typeof node !== 'object' || node === null) return clean(node);
  const entries = Object.entries(node);
  return Object.fromEntries(entries.map(([key, child]) => [key, key === 'type' ? child : withoutWordsOfNodes(child, clean)]));
}
