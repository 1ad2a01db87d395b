import type { RowOf } from '../platform/database/tables.ts';
import { endDoneOfSubjects } from '../platform/ledger/end-subjects.ts';
import { conversationLane } from '../platform/ledger/locks.ts';
import { channelPool, poolOf } from '../platform/ledger/pools.ts';
import { stateIs } from '../platform/ledger/states.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';
import type { Failure, Message } from './message.entity.ts';
import { emitFailed } from './settle.ts';

type CalledOff = RowOf<typeof Message, 'id' | 'channel_id' | 'conversation_id' | 'campaign_id' | 'origin'>;

/** SQL: a set, each found by its id. */
const failQueued = `
  update messages m
     set status = 'failed', failure = $3::jsonb, updated_at = clock_timestamp()
   where m.organization_id = $1
     and m.id = any($2::uuid[])
     and (m.status = 'queued') is true
  returning m.id, m.channel_id, m.conversation_id, m.campaign_id, m.origin`;

/** SQL: behind others of their lanes, so they release none. Before the heads end, which release what is next. */
const deleteBlocked = `
  delete from jobs
   where organization_id = $1
     and subject_id = any($2::uuid[])
     and name = 'messages.send'
     and ${stateIs('state', 'blocked')}`;

/** Messages that no worker has claimed fail, and their jobs are gone: nobody looks for a fault. Needs the conversations' lanes. The ids. */
export async function callOffMany(tx: OwnTx, messageIds: string[], failure: Failure): Promise<string[]> {
  const failed = await tx.sql<CalledOff>(failQueued, [messageIds, JSON.stringify(failure)]);
  const ids = failed.map(({ id }) => id);
  for (const message of failed) {
    tx.assertLocked(conversationLane(message.conversation_id));
    emitFailed(tx, message, failure);
  }
  if (ids.length === 0) return ids;
  await tx.sql(deleteBlocked, [ids]);
  endDoneOfSubjects(tx, 'messages.send', ids);
  const channels = new Set(failed.map(({ channel_id }) => channel_id));
  tx.dispatch({ pools: [...channels].map((id) => poolOf(tx.organizationId, channelPool(id))) });
  return ids;
}
