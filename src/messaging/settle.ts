import { messageFailed, messageSent, messageStatusUpdate } from '../platform/events/catalogue.ts';
import { endDoneOfSubject, endFailedOfSubject } from '../platform/ledger/release.ts';
import { stateIs } from '../platform/ledger/states.ts';
import type { Tx } from '../platform/ledger/tx.ts';
import type { Failure, MessageStatus } from './message.entity.ts';

export type Subject = { id: string; organization_id: string; channel_id: string; conversation_id: string };
export const subjectColumns = 'm.id, m.organization_id, m.channel_id, m.conversation_id';

/** The provider's id is made of the person's address: of one who was forgotten it is not kept. */
const remembered = (providerMessageId: string) => `case when m.contact_id is null then null else ${providerMessageId} end`;

type Settled = Subject & { was: MessageStatus };

/**
 * The provider took the message: its answer says so. A message that a status has settled before keeps its status and only learns the
 * provider's id. The conversation's lock is held.
 */
export async function recordAccepted(tx: Tx, messageId: string, providerMessageId: string): Promise<void> {
  const [row] = await tx.query<Settled>(
    `update messages m set status = case when m.status in ('queued', 'sending') then 'sent' else m.status end, provider_message_id = ${remembered('$2')}, updated_at = clock_timestamp()
      where m.id = $1 returning ${subjectColumns}, old.status as was`,
    [messageId, providerMessageId],
  );
  if (row && isUnsettled(row.was)) emitSent(tx, row);
}

const ranks: Record<string, number> = { queued: 0, sending: 0, sent: 1, delivered: 2, read: 3 };
const isUnsettled = (status: MessageStatus) => status === 'queued' || status === 'sending';

/**
 * A status from the provider. Ranks only rise; any first proof makes the message sent, ends its job and gives its lane on, in this one
 * transaction. Repeats change nothing. The conversation's lock is held.
 */
export async function applyStatus(
  tx: Tx,
  messageId: string,
  status: 'sent' | 'delivered' | 'read' | 'failed',
  providerMessageId: string,
  failure?: Failure,
): Promise<boolean> {
  const lower =
    status === 'failed' ? ['queued', 'sending', 'sent'] : Object.keys(ranks).filter((name) => ranks[name]! < ranks[status]!);
  const [row] = await tx.query<Settled>(
    `update messages m set status = $2, provider_message_id = ${remembered('coalesce(m.provider_message_id, $3)')}, failure = $4::jsonb, updated_at = clock_timestamp()
      where m.id = $1 and (m.status = any($5) or ($2 <> 'failed' and m.status = 'failed' and m.failure->>'code' = 'outcome_unknown'))
     returning ${subjectColumns}, old.status as was`,
    [messageId, status, providerMessageId, failure ? JSON.stringify(failure) : null, lower],
  );
  if (!row) return false;
  if (status === 'failed') {
    emitFailed(tx, row, failure!);
    if (isUnsettled(row.was))
      endFailedOfSubject(tx, 'messages.send', messageId, {
        code: failure!.code,
        message: failure!.message,
        provider_code: failure!.provider_code,
      });
    return true;
  }
  if (row.was === 'failed') {
    // Given up as unknown, and here is the proof after all: nothing is left to retry.
    await tx.query(`delete from jobs where subject_id = $1 and name = 'messages.send' and ${stateIs('state', 'failed')}`, [
      messageId,
    ]);
    emitSent(tx, row);
  }
  if (isUnsettled(row.was)) {
    emitSent(tx, row);
    endDoneOfSubject(tx, 'messages.send', messageId);
  }
  if (status !== 'sent') emitStatus(tx, row, status);
  return true;
}

/** The message ends as failed by our side's word: refused, out of tries, outcome unknown. False when a status was faster. */
export async function recordFailed(tx: Tx, messageId: string, failure: Failure): Promise<boolean> {
  const [row] = await tx.query<Subject>(
    `update messages m set status = 'failed', failure = $2, updated_at = clock_timestamp() where m.id = $1 and m.status in ('queued', 'sending') returning ${subjectColumns}`,
    [messageId, JSON.stringify(failure)],
  );
  if (row) emitFailed(tx, row, failure);
  return row !== undefined;
}

function emitStatus(tx: Tx, { id, organization_id, conversation_id }: Subject, status: string) {
  tx.emit(messageStatusUpdate, { message_id: id, status, conversation_id, organization_id }, { organizationId: organization_id });
}

function emitSent(tx: Tx, subject: Subject) {
  const { id, organization_id: organizationId, conversation_id, channel_id } = subject;
  tx.emit(messageSent, { message_id: id, conversation_id, channel_id }, { organizationId });
  emitStatus(tx, subject, 'sent');
}

function emitFailed(tx: Tx, subject: Subject, { code, provider_code, message }: Failure) {
  const { id, organization_id: organizationId, conversation_id, channel_id } = subject;
  emitStatus(tx, subject, 'failed');
  tx.emit(
    messageFailed,
    { message_id: id, conversation_id, channel_id, code, provider_code: provider_code ?? '', reason: message },
    { organizationId },
  );
}
