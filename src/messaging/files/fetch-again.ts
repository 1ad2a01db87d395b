import type { Own } from '../../platform/database/own.ts';
import type { RowOf } from '../../platform/database/tables.ts';
import { AppError, notFound } from '../../platform/errors.ts';
import type { Job } from '../../platform/ledger/jobs.entity.ts';
import { conversationLane } from '../../platform/ledger/locks.ts';
import { reviveJob } from '../../platform/ledger/retry.ts';
import { stateIs } from '../../platform/ledger/states.ts';
import type { TenantTx } from '../../platform/ledger/tx.ts';
import { enqueueFetch, fetchFileJob } from './jobs.ts';
import { fetchAgain, fileIdIn, isKeptStill, messageWithFile, receivedFile, stateOf } from './received.ts';

/** Throws 404. */
export async function conversationOfFile(own: Own, messageId: string): Promise<string> {
  const [message] = await messageWithFile(own, { id: messageId });
  if (!message) throw notFound('Message');
  return message.conversation_id;
}

/** The provider says that a file is gone in words that mean a passing fault too, as of permissions. */
async function mayBeThere(own: Own, messageId: string): Promise<boolean> {
  const [message] = await receivedFile(own, { id: messageId });
  if (!message || message.contact_id === null || message.deleted_at !== null) return false;
  return fileIdIn(message.type, message.content) !== undefined && isKeptStill(message);
}

/** Of a file that was given up, as for want of room: it is pending again. Idempotent. Needs the conversation's lane. Throws 404, and 409 where no try can help. */
export async function refetchFile(tx: TenantTx, messageId: string): Promise<void> {
  const { own } = tx;
  const [message] = await messageWithFile(own, { id: messageId });
  if (!message) throw notFound('Message');
  own.assertLocked(conversationLane(message.conversation_id));
  const status = stateOf(message.content)?.status;
  if (status === 'pending' || status === 'stored') return;
  if (status === undefined) throw new AppError('conflict', 'The message has no file to fetch');
  if (status === 'gone' && (await mayBeThere(own, messageId))) {
    if (await fetchAgain(own, messageId, 'gone')) await enqueueFetch(own, messageId);
    return;
  }
  if (status !== 'failed') throw new AppError('conflict', `The file is ${status}: it cannot be fetched again`);
  // SQL: the job is found by its subject, its state in a form that no partial index fits (states.ts).
  const [failed] = await own.sql<RowOf<typeof Job, 'id'>>(
    `select id
       from jobs
      where organization_id = $1 and subject_id = $2 and name = $3 and ${stateIs('state', 'failed')}`,
    [messageId, fetchFileJob.name],
  );
  if (failed) {
    await reviveJob(tx, failed.id, own.organizationId);
    return;
  }
  // Its job was purged (src/platform/retention).
  if (await fetchAgain(own, messageId)) await enqueueFetch(own, messageId);
}
