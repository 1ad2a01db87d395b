import type { Em } from '../platform/database/database.ts';
import { query } from '../platform/database/query.ts';
import { AppError, notFound } from '../platform/errors.ts';
import { conversationLane } from '../platform/ledger/locks.ts';
import { channelPool } from '../platform/ledger/pools.ts';
import { reviveJob } from '../platform/ledger/retry.ts';
import { stateIs } from '../platform/ledger/states.ts';
import type { Tx } from '../platform/ledger/tx.ts';
import { sendMessageJob } from './jobs.ts';

type Row = {
  status: string;
  channel_id: string;
  conversation_id: string;
  provider_message_id: string | null;
  code: string | null;
  job_id: string | null;
};

/** The conversation of a message that was sent. Throws 404 for a foreign message. */
export async function conversationOf(em: Em, organizationId: string, id: string): Promise<string> {
  const [row] = await query<{ conversation_id: string }>(
    em,
    `select conversation_id from messages where organization_id = $1 and id = $2 and direction = 'outbound'`,
    [organizationId, id],
  );
  if (!row) throw notFound('Message');
  return row.conversation_id;
}

/** The lock `retryMessage` needs. */
export const retryLocks = (conversationId: string) => [conversationLane(conversationId)];

/**
 * The one way back, failed to queued: when the provider never took the message, or with `force`, which may show it to the person
 * twice. Asked twice it is done once.
 */
export async function retryMessage(tx: Tx, organizationId: string, id: string, force: boolean): Promise<void> {
  const [row] = await tx.query<Row>(
    `select m.status, m.channel_id, m.conversation_id, m.provider_message_id, m.failure->>'code' as code, j.id as job_id from messages m
       left join jobs j on j.subject_id = m.id and j.name = 'messages.send' and ${stateIs('j.state', 'failed')} where m.organization_id = $1 and m.id = $2 and m.direction = 'outbound'`,
    [organizationId, id],
  );
  if (!row) throw notFound('Message');
  tx.assertLocked(conversationLane(row.conversation_id));
  if (row.status === 'queued' || row.status === 'sending') return;
  if (row.status !== 'failed') throw new AppError('conflict', `The message is ${row.status}: only a failed one can be retried`);
  const mayHaveArrived = row.provider_message_id !== null || row.code === 'outcome_unknown';
  if (mayHaveArrived && !force) throw new AppError('conflict', 'The provider may have taken this message: retry it with force');
  // A job that was purged since (src/retention) is made anew below.
  if (!mayHaveArrived && row.job_id) {
    await reviveJob(tx, row.job_id, organizationId);
    return;
  }
  // What the provider still says of the earlier send must not settle the new one: its id is remembered and passed over.
  await tx.query(
    `update messages set status = 'queued', failure = null, superseded_ids = array_remove(superseded_ids || provider_message_id, null), provider_message_id = null,
            sending_at = null, resends = 0, updated_at = clock_timestamp() where id = $1 and organization_id = $2`,
    [id, organizationId],
  );
  await tx.query(`delete from jobs where subject_id = $1 and name = 'messages.send' and ${stateIs('state', 'failed')}`, [id]);
  tx.enqueue(
    sendMessageJob,
    organizationId,
    { message_id: id },
    { lane: conversationLane(row.conversation_id), pool: channelPool(row.channel_id) },
  );
}
