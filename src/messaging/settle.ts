import type { RowOf } from '../platform/database/tables.ts';
import { messageFailed, messageSent, messageStatusUpdate } from '../platform/events/catalogue.ts';
import type { Cause } from '../platform/events/cause.ts';
import { answerLock } from '../platform/ledger/locks.ts';
import { stateIs } from '../platform/ledger/states.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';
import { followMessagesNow, newsOf } from './campaign-recipients.ts';
import { hasKept, wakeKept } from './kept-statuses.ts';
import type { Failure, Message, MessageStatus } from './message.entity.ts';

type Subject = RowOf<typeof Message, 'id' | 'channel_id' | 'conversation_id' | 'campaign_id' | 'origin'>;
type Settled = Subject & { was: MessageStatus };

/**
 * Needs the locks of the conversation and of the answer. The provider's id contains the person's address: dropped once the contact
 * is erased.
 */
export async function recordAccepted(tx: OwnTx, messageId: string, providerMessageId: string): Promise<void> {
  // SQL: changes by what the row holds, and returns the status before the change and whether early statuses are kept (bench: send).
  const [row] = await tx.sql<Settled & { has_kept: boolean }>(
    `update messages m
        set status = case when m.status in ('queued', 'sending') then 'sent' else m.status end,
            provider_message_id = case when m.contact_id is null then null else $3 end,
            updated_at = clock_timestamp()
      where m.organization_id = $1 and m.id = $2
     returning m.id, m.channel_id, m.conversation_id, m.campaign_id, m.origin, old.status as was,
               ${hasKept({ channel: 'm.channel_id', providerMessageId: '$3' })} as has_kept`,
    [messageId, providerMessageId],
  );
  if (!row) return;
  tx.assertLocked(answerLock(row.channel_id, providerMessageId));
  if (isUnsettled(row.was)) {
    emitSent(tx, row);
    await followMessagesNow(tx, newsOf(row, 'sent'));
  }
  if (row.has_kept) wakeKept(tx, [{ channelId: row.channel_id, providerMessageId }]);
}

export const isUnsettled = (status: MessageStatus) => status === 'queued' || status === 'sending';

/** SQL: found by its subject, with the state in a form that no partial index fits (states.ts). Of a scheduled message too. */
export const deleteFailedJob = (tx: OwnTx, messageId: string) =>
  tx.sql(
    `delete from jobs
      where organization_id = $1 and subject_id = $2 and name in ('messages.send', 'messages.send-later') and ${stateIs('state', 'failed')}`,
    [messageId],
  );

/**
 * Our own decision: refused, out of attempts, outcome unknown. After a send whose outcome nobody knows, every failure is `outcome_unknown`: the
 * first send may have arrived, so a status may still prove it, and a retry needs force. False: a status was faster.
 */
export async function recordFailed(tx: OwnTx, messageId: string, failure: Failure): Promise<boolean> {
  // SQL: the change returns what the events need.
  const [row] = await tx.sql<Subject & { failure: Failure }>(
    `update messages m
        set status = 'failed', is_scheduled = false, updated_at = clock_timestamp(),
            failure = case when m.resends > 0 or m.status = 'sending' and $3::jsonb->>'code' in ('crashed', 'internal') then $4::jsonb else $3::jsonb end
      where m.organization_id = $1 and m.id = $2 and m.status in ('queued', 'sending')
     returning m.id, m.channel_id, m.conversation_id, m.campaign_id, m.origin, m.failure`,
    [messageId, JSON.stringify(failure), JSON.stringify(unknownBy(failure))],
  );
  if (!row) return false;
  emitFailed(tx, row, row.failure);
  await followMessagesNow(tx, newsOf(row, 'failed', row.failure));
  return true;
}

const unknownBy = (failure: Failure): Failure =>
  failure.code === 'outcome_unknown'
    ? failure
    : { ...failure, code: 'outcome_unknown', message: `The provider never said whether it took the message. ${failure.message}` };

const ofCampaign = ({ campaign_id }: Subject) => (campaign_id === null ? {} : { campaign_id });
/** What made the message made its news. */
const causeOf = ({ campaign_id, origin }: Subject): Cause | undefined =>
  origin ?? (campaign_id === null ? undefined : { by: `campaign:${campaign_id}` });

export function emitStatus(tx: OwnTx, subject: Subject, status: string, isHeard = true) {
  const { id, conversation_id } = subject;
  const data = { message_id: id, status, conversation_id, organization_id: tx.organizationId, ...ofCampaign(subject) };
  tx.emit(messageStatusUpdate, data, { isHeard, cause: causeOf(subject) });
}

/** What `emitSent` emits, for a look whether an endpoint listens. */
export const sentEvents = [messageSent.type, messageStatusUpdate.type];

export function emitSent(tx: OwnTx, subject: Subject, isHeard = true) {
  const { id, conversation_id, channel_id } = subject;
  tx.emit(
    messageSent,
    { message_id: id, conversation_id, channel_id, ...ofCampaign(subject) },
    { isHeard, cause: causeOf(subject) },
  );
  emitStatus(tx, subject, 'sent', isHeard);
}

export function emitFailed(tx: OwnTx, subject: Subject, { code, provider_code, message }: Failure) {
  const { id, conversation_id, channel_id } = subject;
  emitStatus(tx, subject, 'failed');
  const why = { code, provider_code: provider_code ?? '', reason: message };
  const data = { message_id: id, conversation_id, channel_id, ...why, ...ofCampaign(subject) };
  tx.emit(messageFailed, data, { cause: causeOf(subject) });
}
