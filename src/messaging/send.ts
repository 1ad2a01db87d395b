import { throwContactMissing } from '../contacts/contact-missing.ts';
import { phoneKey } from '../contacts/identities/phone-spellings.ts';
import { identityTaken } from '../contacts/identities/resolve.ts';
import { refusalOf, refused } from '../contacts/permission/permission.ts';
import { contactNotFound, inBody } from '../contacts/queries.ts';
import { type FlowSend, flowSendParams, withFlowSend } from '../flows/sends.ts';
import type { Own } from '../platform/database/own.ts';
import { AppError, invalidField } from '../platform/errors.ts';
import { conversationUpdated } from '../platform/events/catalogue.ts';
import { uuidv7 } from '../platform/ids.ts';
import { conversationLane, LocksOutdated } from '../platform/ledger/locks.ts';
import type { PartText } from '../platform/ledger/part.ts';
import { channelPool } from '../platform/ledger/pools.ts';
import type { TenantTransact } from '../platform/ledger/tenant.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';
import type { Secrets } from '../platform/secrets.ts';
import { assertAhead } from '../platform/time/ahead.ts';
import type { ConversationStatus } from './conversation.entity.ts';
import { type ConversationRef, conversationTaken, previewOf, resolveConversation, windowHours } from './conversations.ts';
import { assertFiles } from './files/named.ts';
import { sendMessageJob } from './jobs.ts';
import { assertOpens, flowSendOf, withFlowId } from './opened-flow.ts';
import { type AcceptedRow, acceptedColumns, acceptedRow, type MessageRow } from './queries.ts';
import { findTarget, personOf, type SendRequest, type Target } from './send-target.ts';

export const maxScheduleDays = 30;

export type Prepared = {
  conversation: ConversationRef;
  toPhone: string;
  toUserId: string;
  contextId: string | null;
  contextMessageId: string | null;
  isHeard: boolean;
  request: SendRequest;
  /** Of a message that opens one. */
  flowSend?: FlowSend;
};

/** All checks of a send; nothing is written. */
export async function checkMessage(own: Own, secrets: Secrets, given: SendRequest) {
  const request = { ...given, content: await withFlowId(own, given.channelId, given.type, given.content) };
  if (request.sendAt) assertAhead('send_at', request.sendAt, maxScheduleDays);
  const target = await findTarget(own, secrets, request);
  await assertReachable(own, request, target);
  await assertAllowed(request, target);
  await assertFiles(own, request.type, request.content);
  const address = addressOf(request, target);
  assertContext(request, target);
  return { request, target, address };
}

/** The same checks. A missing conversation is created in a transaction of its own: it is the lock of the send. */
export async function prepareMessage(
  own: Own,
  transact: TenantTransact,
  secrets: Secrets,
  given: SendRequest,
): Promise<Prepared> {
  const { request, target, address } = await checkMessage(own, secrets, given);
  const conversation = knownConversation(target) ?? (await newConversation(transact, secrets, request, target));
  return {
    conversation,
    ...address,
    contextId: target.context_id,
    contextMessageId: request.contextMessageId ?? null,
    isHeard: target.is_heard,
    request,
    flowSend: flowSendOf(request.type, request.content, target),
  };
}

async function assertReachable(own: Own, { recipient }: SendRequest, { channel_status, contact_id }: Target) {
  if (channel_status !== 'connected') throw new AppError('conflict', `The channel cannot send: it is ${channel_status}`);
  if ('contactId' in recipient && !contact_id) throw await contactNotFound(own, recipient.contactId, inBody);
}

/** What may have changed by the time at which a scheduled message goes out. */
export async function assertAllowed({ type, content, sendAt }: SendRequest, target: Target): Promise<void> {
  if (type === 'template') {
    assertApproved(content, target.template_status);
    const template = { category: target.category ?? '', components: target.template_components ?? [] };
    // Loaded with the first template: a start does not wait for it.
    const { assertParameters } = await import('../templates/parameters.ts');
    assertParameters(template, content.components, ['template', 'components']);
  }
  assertOpens(type, content, target);
  const refusal = refusalOf({ ...target, suppression: target.suppression ?? target.remembered });
  if (refusal) throw refused(refusal);
  assertOpen({ type, is_open: target.is_open }, sendAt);
}

/** A free-form message needs an open window, a new one and one that is tried again. */
export function assertOpen({ type, is_open }: { type: string; is_open: boolean }, sendAt?: string): void {
  if (type === 'template' || is_open) return;
  throw new AppError(
    'window_closed',
    sendAt
      ? `By then the contact will not have written for ${windowHours} hours: send a template`
      : `The contact has not written within ${windowHours} hours: send a template`,
  );
}

function assertApproved({ name, language }: SendRequest['content'], status: string | null) {
  if (!status) throw new AppError('template_unknown', `The channel has no template ${name} in ${language}`);
  if (status !== 'approved')
    throw new AppError('template_unknown', `The template ${name} in ${language} cannot be sent: it is ${status}`);
}

/** The provider knows a message by its own id alone, which one that waits or failed has not. */
function assertContext({ type, contextMessageId }: SendRequest, { context_id, context_status }: Target) {
  if (!contextMessageId || context_id) return;
  throw invalidField(
    type === 'reaction' ? 'reaction.message_id' : 'context.message_id',
    context_status
      ? `The provider does not have this message yet: it is ${context_status}`
      : 'No message of this conversation has this id',
  );
}

/** `toPhone` in digits; `toUserId` only for a person without a phone. */
function addressOf({ recipient }: SendRequest, target: Target) {
  const person = personOf(recipient);
  // The provider may know the phone in its other form.
  const isKnown = person.phone && target.phone && phoneKey(person.phone) === phoneKey(target.phone);
  const toPhone = (isKnown ? target.phone : person.phone) ?? target.phone ?? '';
  const toUserId = person.userId ?? target.user_id ?? '';
  if (!toPhone && !toUserId) throw invalidField('contact_id', 'The contact has no address on this channel');
  return { toPhone: toPhone.replace(/\D/g, ''), toUserId: toPhone ? '' : toUserId };
}

const knownConversation = ({ conversation_id: id, contact_id: contactId, conversation_status: status }: Target) =>
  id && contactId && status ? { id, contactId, status } : undefined;

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

/** Of a run of a rule: what happens to the message later is its effect too. */
export const originOf = ({ cause }: OwnTx) => (cause?.chain ? JSON.stringify(cause) : null);

/** Messages that one transaction accepts, each with names of its own. */
export const maxAcceptedAtOnce = 5;

/** SQL: reopens the conversation and inserts its message, as a part of the ledger's statement (bench: post). */
const acceptPart =
  (place: string): PartText =>
  (
    organization,
    id,
    channelId,
    conversationId,
    type,
    toPhone,
    wasStatus,
    status,
    preview,
    toUserId,
    content,
    contextId,
    contextMessageId,
    origin,
  ) =>
    `
  touched${place} as (
    update conversations
       set status = ${status}, preview = ${preview}, last_message_at = clock_timestamp(), updated_at = clock_timestamp()
     where organization_id = ${organization} and id = ${conversationId}
       and contact_id is not null and status = ${wasStatus}
    returning contact_id),
  message${place} as (
    insert into messages as m (
      id, organization_id, channel_id, conversation_id, contact_id, direction, type, status,
      to_phone, to_user_id, content, context_id, context_message_id, origin)
    select ${id}, ${organization}, ${channelId}, ${conversationId}, t.contact_id, 'outbound', ${type}, 'queued',
           ${toPhone}, ${toUserId}, ${content}, ${contextId}, ${contextMessageId}, ${origin}
      from touched${place} t
    returning ${acceptedColumns})`;

const acceptParts = Array.from({ length: maxAcceptedAtOnce }, (_, index) => {
  const place = index === 0 ? '' : `_${index}`;
  const plain = acceptPart(place);
  return { plain, withFlow: withFlowSend(plain, place), gives: `message${place}` };
});

/**
 * The worker calls the provider. Returns the message's row, for when the ledger is written; it throws LocksOutdated when the conversation
 * was merged, opened or closed, or its contact erased. `place`: among the messages of the transaction, below `maxAcceptedAtOnce`.
 */
export function acceptMessage(tx: OwnTx, prepared: Prepared, place = 0): () => MessageRow {
  const { conversation, request, toPhone, toUserId, contextId, contextMessageId, isHeard, flowSend } = prepared;
  const { channelId, type, content } = request;
  const id = uuidv7();
  const status: ConversationStatus = conversation.status === 'resolved' ? 'open' : conversation.status;
  const preview = previewOf(type, content);
  const part = acceptParts[place]!;
  tx.include({
    text: flowSend ? part.withFlow : part.plain,
    params: [
      ...[tx.organizationId, id, channelId, conversation.id, type, toPhone, conversation.status, status],
      ...[preview, toUserId, JSON.stringify(content), contextId, contextMessageId, originOf(tx)],
      ...(flowSend ? flowSendParams(flowSend) : []),
    ],
    gives: part.gives,
  });
  const order = { lane: conversationLane(conversation.id), pool: channelPool(channelId) };
  tx.enqueue(sendMessageJob, { message_id: id }, order);
  const changed = status === conversation.status ? ['preview'] : ['status', 'preview'];
  tx.emit(conversationUpdated, { conversation_id: conversation.id, status, changed }, { isHeard });
  return () => givenMessage(tx, prepared, part.gives);
}

/** The row of a message that this transaction accepted; it throws LocksOutdated where its part gave none. */
export function givenMessage(
  tx: OwnTx,
  { conversation, request: { channelId, type, content }, toPhone, contextId, contextMessageId }: Prepared,
  name: string,
): MessageRow {
  const accepted = tx.given<AcceptedRow>(name);
  if (!accepted) throw new LocksOutdated();
  const known = { channel_id: channelId, conversation_id: conversation.id, type, content, to_phone: toPhone };
  return acceptedRow(accepted, { ...known, context_id: contextId, context_message_id: contextMessageId });
}
