import type { RowOf } from '../platform/database/tables.ts';
import { messageFailed, messageSent, messageStatusUpdate } from '../platform/events/catalogue.ts';
import { endDoneOfSubject, endFailedOfSubject } from '../platform/ledger/release.ts';
import { stateIs } from '../platform/ledger/states.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';
import type { Failure, Message, MessageStatus } from './message.entity.ts';

type Subject = RowOf<typeof Message, 'id' | 'channel_id' | 'conversation_id'>;
type Settled = Subject & { was: MessageStatus };

/** Needs the conversation's lock. The provider's id contains the person's address: dropped once the contact is erased. */
export async function recordAccepted(tx: OwnTx, messageId: string, providerMessageId: string): Promise<void> {
  // SQL: changes by what the row holds, and returns the status before the change (bench: send).
  const [row] = await tx.sql<Settled>(
    `update messages m
        set status = case when m.status in ('queued', 'sending') then 'sent' else m.status end,
            provider_message_id = case when m.contact_id is null then null else $3 end,
            updated_at = clock_timestamp()
      where m.organization_id = $1 and m.id = $2
     returning m.id, m.channel_id, m.conversation_id, old.status as was`,
    [messageId, providerMessageId],
  );
  if (row && isUnsettled(row.was)) emitSent(tx, row);
}

const ranks: Record<string, number> = { queued: 0, sending: 0, sent: 1, delivered: 2, read: 3 };
const isUnsettled = (status: MessageStatus) => status === 'queued' || status === 'sending';

/** Ranks only rise. The first status proves the send, ends its job and releases its lane. Needs the conversation's lock. */
export async function applyStatus(
  tx: OwnTx,
  messageId: string,
  status: 'sent' | 'delivered' | 'read' | 'failed',
  providerMessageId: string,
  failure?: Failure,
): Promise<boolean> {
  const lower =
    status === 'failed' ? ['queued', 'sending', 'sent'] : Object.keys(ranks).filter((name) => ranks[name]! < ranks[status]!);
  // SQL: compares the ranks, changes, and returns the status before the change (bench: inbound).
  const [row] = await tx.sql<Settled>(
    `update messages m
        set status = $3,
            provider_message_id = case when m.contact_id is null then null else coalesce(m.provider_message_id, $4) end,
            failure = $5::jsonb,
            updated_at = clock_timestamp()
      where m.organization_id = $1 and m.id = $2
        and (m.status = any($6) or ($3 <> 'failed' and m.status = 'failed' and m.failure->>'code' = 'outcome_unknown'))
     returning m.id, m.channel_id, m.conversation_id, old.status as was`,
    [messageId, status, providerMessageId, failure ? JSON.stringify(failure) : null, lower],
  );
  if (!row) return false;
  if (status === 'failed') {
    emitFailed(tx, row, failure!);
    if (isUnsettled(row.was)) {
      const { code, message, provider_code } = failure!;
      endFailedOfSubject(tx, 'messages.send', messageId, { code, message, provider_code });
    }
    return true;
  }
  if (row.was === 'failed') {
    // It failed with an unknown outcome; this status proves that it was sent.
    await deleteFailedJob(tx, messageId);
    emitSent(tx, row);
  }
  if (isUnsettled(row.was)) {
    emitSent(tx, row);
    endDoneOfSubject(tx, 'messages.send', messageId);
  }
  if (status !== 'sent') emitStatus(tx, row, status);
  return true;
}

/** SQL: found by its subject, with the state in a form that no partial index fits (states.ts). */
export const deleteFailedJob = (tx: OwnTx, messageId: string) =>
  tx.sql(
    `delete from jobs
      where organization_id = $1 and subject_id = $2 and name = 'messages.send' and ${stateIs('state', 'failed')}`,
    [messageId],
  );

/** Our own decision: refused, out of attempts, outcome unknown. False: a status was faster. */
export async function recordFailed(tx: OwnTx, messageId: string, failure: Failure): Promise<boolean> {
  // SQL: the change returns what the events need.
  const [row] = await tx.sql<Subject>(
    `update messages m
        set status = 'failed', failure = $3, updated_at = clock_timestamp()
      where m.organization_id = $1 and m.id = $2 and m.status in ('queued', 'sending')
     returning m.id, m.channel_id, m.conversation_id`,
    [messageId, JSON.stringify(failure)],
  );
  if (row) emitFailed(tx, row, failure);
  return row !== undefined;
}

function emitStatus(tx: OwnTx, { id, conversation_id }: Subject, status: string) {
  tx.emit(messageStatusUpdate, { message_id: id, status, conversation_id, organization_id: tx.organizationId });
}

function emitSent(tx: OwnTx, subject: Subject) {
  const { id, conversation_id, channel_id } = subject;
  tx.emit(messageSent, { message_id: id, conversation_id, channel_id });
  emitStatus(tx, subject, 'sent');
}

function emitFailed(tx: OwnTx, subject: Subject, { code, provider_code, message }: Failure) {
  const { id, conversation_id, channel_id } = subject;
  emitStatus(tx, subject, 'failed');
  tx.emit(messageFailed, {
    message_id: id,
    conversation_id,
    channel_id,
    code,
    provider_code: provider_code ?? '',
    reason: message,
  });
}
