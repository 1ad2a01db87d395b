import type { Own } from '../../platform/database/own.ts';
import type { RowOf } from '../../platform/database/tables.ts';
import { endDoneOfSubjects } from '../../platform/ledger/end-subjects.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import type { Conversation } from '../conversation.entity.ts';
import { emitChanged } from './conversation-row.ts';

export const wakeJobName = 'conversations.wake';

/** SQL: by the database's clock. */
const leftStatement = `
  select extract(epoch from snoozed_until - clock_timestamp())::float8 * 1000 as left_ms
    from conversations
   where organization_id = $1
     and id = $2
     and snoozed_until is not null`;

/** Below 0: its time is over. Undefined: it does not sleep, or has no time. */
export async function sleepsForMs(own: Own, id: string): Promise<number | undefined> {
  const [row] = await own.sql<{ left_ms: number }>(leftStatement, [id]);
  return row?.left_ms;
}

const wakeStatement = `
  update conversations
     set status = 'open',
         snoozed_until = null,
         updated_at = clock_timestamp()
   where organization_id = $1
     and id = $2
     and snoozed_until is not null
  returning status`;

/** Needs the conversation's lane. Idempotent. */
export async function wake(tx: OwnTx, id: string): Promise<void> {
  const [woken] = await tx.sql<RowOf<typeof Conversation, 'status'>>(wakeStatement, [id]);
  if (woken) emitChanged(tx, { id, ...woken }, ['status', 'snoozed_until']);
}

/** Of a conversation that sleeps no more, or until another time. Needs its lane. */
export const callOffWake = (tx: OwnTx, ids: string[]) => endDoneOfSubjects(tx, wakeJobName, ids);
