import { type Em, query } from '../database.ts';
import { AppError, notFound } from '../errors.ts';
import { conversationLane } from '../ledger/locks.ts';
import { channelPool } from '../ledger/pools.ts';
import { retryJob } from '../ledger/retry.ts';
import type { Transact } from '../ledger/transact.ts';
import { sendMessageJob } from './jobs.ts';

type Row = {
  status: string;
  channel_id: string;
  conversation_id: string;
  provider_message_id: string | null;
  job_id: string | null;
};

/**
 * The one way back, failed to queued: when the provider never took the message, or with `force`, which may show it to the person
 * twice. Asked twice it is done once.
 */
export async function retryMessage(
  em: Em,
  transact: Transact,
  organizationId: string,
  id: string,
  force: boolean,
): Promise<void> {
  const [row] = await query<Row>(
    em,
    `select m.status, m.channel_id, m.conversation_id, m.provider_message_id, j.id as job_id from messages m
       left join jobs j on j.subject_id = m.id and j.name = 'messages.send' and j.state = 'failed' where m.organization_id = $1 and m.id = $2 and m.direction = 'outbound'`,
    [organizationId, id],
  );
  if (!row) throw notFound('Message');
  if (row.status === 'queued' || row.status === 'sending') return;
  if (row.status !== 'failed') throw new AppError('conflict', `The message is ${row.status}: only a failed one can be retried`);
  const mayHaveArrived = row.provider_message_id !== null || !row.job_id;
  if (mayHaveArrived && !force) throw new AppError('conflict', 'The provider has taken this message: retry it with force');
  if (!mayHaveArrived) {
    await retryJob(transact, row.job_id!, organizationId);
    return;
  }
  const lane = conversationLane(row.conversation_id);
  await transact({ locks: [lane] }, async (tx) => {
    const back = await tx.query(
      `update messages set status = 'queued', failure = null, provider_message_id = null, sending_at = null, resends = 0, updated_at = clock_timestamp() where id = $1 and organization_id = $2 and status = 'failed' returning id`,
      [id, organizationId],
    );
    if (back.length === 0) return;
    await tx.query(`delete from jobs where subject_id = $1 and name = 'messages.send' and state = 'failed'`, [id]);
    tx.enqueue(sendMessageJob, organizationId, { message_id: id }, { lane, pool: channelPool(row.channel_id) });
  });
}
