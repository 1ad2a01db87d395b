import { flowSendParams, withFlowSend } from '../flows/sends.ts';
import type { Own } from '../platform/database/own.ts';
import { statement } from '../platform/database/statement.ts';
import type { RowOf } from '../platform/database/tables.ts';
import { AppError, notFound } from '../platform/errors.ts';
import { conversationUpdated } from '../platform/events/catalogue.ts';
import { uuidv7 } from '../platform/ids.ts';
import type { JobError } from '../platform/ledger/jobs.entity.ts';
import { conversationLane, LocksOutdated } from '../platform/ledger/locks.ts';
import type { PartText } from '../platform/ledger/part.ts';
import { channelPool } from '../platform/ledger/pools.ts';
import { endDoneOfSubject } from '../platform/ledger/release.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';
import type { Secrets } from '../platform/secrets.ts';
import { now } from '../platform/time/clock.ts';
import { momentMs } from '../platform/time/moment.ts';
import type { ConversationStatus } from './conversation.entity.ts';
import { previewOf } from './conversations.ts';
import { sendMessageJob } from './jobs.ts';
import { Message } from './message.entity.ts';
import { acceptedColumns, type MessageRow } from './queries.ts';
import { calledOff, sendLaterJob } from './schedule-job.ts';
import { acceptMessage, assertAllowed, givenMessage, originOf, type Prepared } from './send.ts';
import { findTarget } from './send-target.ts';
import { recordFailed } from './settle.ts';

/** SQL: nothing of the conversation changes before the message goes out. As a part of the ledger's statement: one round trip. */
const scheduledPart: PartText = (
  organization,
  id,
  channelId,
  conversationId,
  type,
  toPhone,
  toUserId,
  content,
  contextId,
  contextMessageId,
  sendAt,
  origin,
) => `
  message as (
    insert into messages as m (
      id, organization_id, channel_id, conversation_id, contact_id, direction, type, status,
      to_phone, to_user_id, content, context_id, context_message_id, send_at, is_scheduled, origin)
    select ${id}, ${organization}, ${channelId}, ${conversationId}, v.contact_id, 'outbound', ${type}, 'queued',
           ${toPhone}, ${toUserId}, ${content}, ${contextId}, ${contextMessageId}, ${sendAt}::timestamptz, true, ${origin}
      from conversations v
     where v.organization_id = ${organization} and v.id = ${conversationId} and v.contact_id is not null
    returning ${acceptedColumns})`;

const scheduledWithFlowPart = withFlowSend(scheduledPart);

/** Now, or at its time. Needs the conversation's lane, and says what `acceptMessage` says. */
export const takeMessage = (tx: OwnTx, prepared: Prepared): (() => MessageRow) =>
  prepared.request.sendAt ? scheduleMessage(tx, prepared, prepared.request.sendAt) : acceptMessage(tx, prepared);

function scheduleMessage(tx: OwnTx, prepared: Prepared, sendAt: string): () => MessageRow {
  const { conversation, request, toPhone, toUserId, contextId, contextMessageId, flowSend } = prepared;
  const { channelId, type, content } = request;
  const id = uuidv7();
  tx.include({
    text: flowSend ? scheduledWithFlowPart : scheduledPart,
    params: [
      ...[tx.organizationId, id, channelId, conversation.id, type, toPhone, toUserId, JSON.stringify(content), contextId],
      ...[contextMessageId, sendAt, originOf(tx)],
      ...(flowSend ? flowSendParams(flowSend) : []),
    ],
    gives: 'message',
  });
  // Without a lane: what is written meanwhile must not wait for it.
  tx.enqueue(sendLaterJob, { message_id: id }, { delayMs: Math.max(1, momentMs(sendAt) - now()) });
  return () => givenMessage(tx, prepared, 'message');
}

const scheduledById = statement((select, { id }: { id: string }) =>
  select(Message)
    .select(['id', 'channel_id', 'conversation_id', 'contact_id', 'type', 'content', 'send_at', 'origin'])
    .where('id', '=', id)
    .where('is_scheduled', '=', true)
    .where('status', '=', 'queued'),
);
export type Scheduled = RowOf<
  typeof Message,
  'id' | 'channel_id' | 'conversation_id' | 'contact_id' | 'type' | 'content' | 'send_at' | 'origin'
>;

export async function findScheduled(own: Own, id: string): Promise<Scheduled | undefined> {
  const [row] = await scheduledById(own, { id });
  return row;
}

/** What forbids it by now; undefined: nothing. A channel that may not send holds the message back as it does every other. */
export async function refusalOfScheduled(own: Own, secrets: Secrets, message: Scheduled): Promise<JobError | undefined> {
  const { contact_id: contactId, channel_id: channelId, type, content } = message;
  if (!contactId) return { code: 'contact_deleted', message: 'The contact was deleted before the message went out' };
  const request = { channelId, recipient: { contactId }, type, content };
  try {
    await assertAllowed(request, await findTarget(own, secrets, request));
    return undefined;
  } catch (error) {
    if (error instanceof AppError) return { code: error.code, message: error.message };
    throw error;
  }
}

/** In its conversation it is a message like any that is accepted now. Needs the lane. Idempotent. */
export async function releaseScheduled(
  tx: OwnTx,
  { id, channel_id, conversation_id, type, content, origin }: Scheduled,
): Promise<void> {
  // SQL: the conversation's status before the change decides what the event says.
  const [touched] = await tx.sql<{ status: ConversationStatus; was: ConversationStatus }>(
    `with released as (
       update messages
          set is_scheduled = false, updated_at = clock_timestamp()
        where organization_id = $1
          and id = $2
          and conversation_id = $3
          and is_scheduled
          and status = 'queued'
       returning id, conversation_id)
     update conversations v
        set status = case v.status when 'resolved' then 'open' else v.status end,
            preview = $4,
            last_message_at = clock_timestamp(),
            updated_at = clock_timestamp()
       from released r
      where v.organization_id = $1
        and v.id = r.conversation_id
     returning v.status, old.status as was`,
    [id, conversation_id, previewOf(type, content)],
  );
  // Called off, or its conversation merged into another, since it was looked at.
  if (!touched) throw new LocksOutdated();
  tx.enqueue(sendMessageJob, { message_id: id }, { lane: conversationLane(conversation_id), pool: channelPool(channel_id) });
  const changed = touched.status === touched.was ? ['preview'] : ['status', 'preview'];
  tx.emit(conversationUpdated, { conversation_id, status: touched.status, changed }, { cause: origin ?? undefined });
}

const stateOf = statement((select, { id }: { id: string }) =>
  select(Message)
    .select(['conversation_id', 'status', 'is_scheduled', 'failure'])
    .where('id', '=', id)
    .where('direction', '=', 'outbound'),
);

/** Needs the conversation's lane. Called off before: nothing changes. 409 once it is on its way. */
export async function cancelScheduled(tx: OwnTx, id: string): Promise<void> {
  const [row] = await stateOf(tx, { id });
  if (!row) throw notFound('Message');
  tx.assertLocked(conversationLane(row.conversation_id));
  if (row.failure?.code === calledOff) return;
  if (!row.is_scheduled) throw new AppError('conflict', `Only a scheduled message can be called off: it is ${row.status}`);
  await recordFailed(tx, id, { code: calledOff, provider_code: null, message: 'Called off before it was sent' });
  endDoneOfSubject(tx, sendLaterJob.name, id);
}
