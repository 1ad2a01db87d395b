import { throwContactMissing } from '../contacts/contact-missing.ts';
import { identityTaken } from '../contacts/identities/resolve.ts';
import { refusalOf, refused } from '../contacts/permission/permission.ts';
import { contactNotFound, inBody } from '../contacts/queries.ts';
import type { Own } from '../platform/database/own.ts';
import { AppError, invalidField } from '../platform/errors.ts';
import { conversationUpdated } from '../platform/events/catalogue.ts';
import { uuidv7 } from '../platform/ids.ts';
import { conversationLane, LocksOutdated } from '../platform/ledger/locks.ts';
import { channelPool } from '../platform/ledger/pools.ts';
import type { TenantTransact } from '../platform/ledger/tenant.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';
import type { Secrets } from '../platform/secrets.ts';
import { type ConversationRef, conversationTaken, previewOf, resolveConversation, windowHours } from './conversations.ts';
import { sendMessageJob } from './jobs.ts';
import { type MessageRow, messageColumns } from './queries.ts';
import { findTarget, personOf, type SendRequest, type Target } from './send-target.ts';

export type Prepared = {
  conversation: ConversationRef;
  toPhone: string;
  toUserId: string;
  contextId: string | null;
  request: SendRequest;
};

/** All checks of a send. A missing conversation is created in a transaction of its own: it is the lock of the send. */
export async function prepareMessage(
  own: Own,
  transact: TenantTransact,
  secrets: Secrets,
  request: SendRequest,
): Promise<Prepared> {
  const target = await findTarget(own, secrets, request);
  await assertReachable(own, request, target);
  assertAllowed(request, target);
  const address = addressOf(request, target);
  if (request.contextMessageId && !target.context_id)
    throw invalidField('context.message_id', 'No message of this channel that the provider knows has this id');
  const conversation = knownConversation(target) ?? (await newConversation(transact, secrets, request, target));
  return { conversation, ...address, contextId: target.context_id, request };
}

async function assertReachable(own: Own, { recipient }: SendRequest, { channel_status, contact_id }: Target) {
  if (channel_status !== 'connected') throw new AppError('conflict', `The channel cannot send: it is ${channel_status}`);
  if ('contactId' in recipient && !contact_id) throw await contactNotFound(own, recipient.contactId, inBody);
}

function assertAllowed({ type }: SendRequest, target: Target) {
  if (type === 'template') assertApproved(target.template_status);
  const refusal = refusalOf({ ...target, suppression: target.suppression ?? target.remembered });
  if (refusal) throw refused(refusal);
  if (type !== 'template' && !target.is_open)
    throw new AppError('window_closed', `The contact has not written within ${windowHours} hours: send a template`);
}

function assertApproved(status: string | null) {
  if (!status) throw new AppError('template_unknown', 'The channel has no such template in this language');
  if (status !== 'approved') throw new AppError('template_unknown', `The template cannot be sent: it is ${status}`);
}

/** `toPhone` in digits; `toUserId` only for a person without a phone. */
function addressOf({ recipient }: SendRequest, target: Target) {
  const person = personOf(recipient);
  const toPhone = person.phone ?? target.phone ?? '';
  const toUserId = person.userId ?? target.user_id ?? '';
  if (!toPhone && !toUserId) throw invalidField('contact_id', 'The contact has no address on this channel');
  return { toPhone: toPhone.replace(/\D/g, ''), toUserId: toPhone ? '' : toUserId };
}

const knownConversation = ({ conversation_id: id, contact_id: contactId }: Target) =>
  id && contactId ? { id, contactId } : undefined;

function newConversation(
  transact: TenantTransact,
  secrets: Secrets,
  { channelId, recipient }: SendRequest,
  { contact_id: contactId }: Target,
): Promise<ConversationRef> {
  const who = contactId ? { contactId } : personOf(recipient);
  return transact({ retryOn: [identityTaken, conversationTaken] }, ({ own }) =>
    resolveConversation(own, secrets, channelId, who),
  ).catch(throwContactMissing);
}

export const acceptLocks = ({ conversation }: Prepared) => [conversationLane(conversation.id)];

/** The worker calls the provider. Throws LocksOutdated when the conversation was merged or its contact erased. */
export async function acceptMessage(tx: OwnTx, prepared: Prepared): Promise<MessageRow> {
  const { conversation, request } = prepared;
  const { channelId } = request;
  const id = uuidv7();
  // SQL: one statement reopens the conversation and inserts its message (bench: post).
  const [row] = await tx.sql<MessageRow & { conversation_status: string }>(
    `with c as (
       update conversations
          set status = case when status = 'resolved' then 'open' else status end,
              preview = $8, last_message_at = clock_timestamp(), updated_at = clock_timestamp()
        where id = $4 and organization_id = $1 and contact_id is not null
       returning status, contact_id),
     m as (
       insert into messages (
         id, organization_id, channel_id, conversation_id, contact_id, direction, type, status,
         to_phone, to_user_id, content, context_id)
       select $2, $1, $3, $4, c.contact_id, 'outbound', $5, 'queued', $6, $7, $9, $10
         from c
       returning *)
     select ${messageColumns}, c.status as conversation_status
       from m, c`,
    [
      id,
      channelId,
      conversation.id,
      request.type,
      prepared.toPhone,
      prepared.toUserId,
      previewOf(request.type, request.content),
      JSON.stringify(request.content),
      prepared.contextId,
    ],
  );
  if (!row) throw new LocksOutdated();
  const order = { lane: conversationLane(conversation.id), pool: channelPool(channelId) };
  tx.enqueue(sendMessageJob, { message_id: id }, order);
  tx.emit(conversationUpdated, { conversation_id: conversation.id, status: row.conversation_status });
  return row;
}
