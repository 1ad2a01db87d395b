import { isContactMissing } from '../contacts/contact-missing.ts';
import { contactLock } from '../contacts/events.ts';
import { identityTaken } from '../contacts/identities/resolve.ts';
import { optOut } from '../contacts/permission/opt-out.ts';
import { nameByProfile } from '../contacts/profiles.ts';
import { type AnswerRule, findOpening, type Match, storeResponse, unmatched } from '../flows/responses.ts';
import { hearAnswer, hearClick } from '../messaging/campaign-answers.ts';
import type { ConversationStatus } from '../messaging/conversation.entity.ts';
import { type ConversationRef, conversationTaken, previewOf, resolveConversation } from '../messaging/conversations.ts';
import { fetchLater } from '../messaging/files/jobs.ts';
import { fileIdIn } from '../messaging/files/received.ts';
import { callOffWake } from '../messaging/inbox/wake.ts';
import { answerLockOf, wakeKept } from '../messaging/kept-statuses.ts';
import { Message } from '../messaging/message.entity.ts';
import { isStopWord } from '../messaging/stop-words.ts';
import type { Own } from '../platform/database/own.ts';
import { statement } from '../platform/database/statement.ts';
import { conversationUpdated, messageNew } from '../platform/events/catalogue.ts';
import { uuidv7 } from '../platform/ids.ts';
import { conversationLane, LocksOutdated } from '../platform/ledger/locks.ts';
import type { TenantTransact } from '../platform/ledger/tenant.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';
import type { Secrets } from '../platform/secrets.ts';
import type { InboundMessage } from '../providers/messaging-app/inbound.ts';
import { amendMessageJob, matchAnswerJob } from './jobs.ts';
import { jsonWithoutNul, withoutNul } from './without-nul.ts';

/** When the webhook of a message came in, and the message's place in it. */
type Received = { at: string; place: number };
/** Without `received` a message came now. `matched`: counts an answer to a flow. */
export type Applying = {
  transact: TenantTransact;
  secrets: Secrets;
  stopWords: string[];
  received?: Received;
  matched?: (rule: AnswerRule) => void;
};

/** `match`: of an answer to a flow. */
type Looked = ConversationRef & { match?: Match };

type Placed = {
  id: string;
  channelId: string;
  conversationId: string;
  message: InboundMessage;
  isInbound: boolean;
  hasFile: boolean;
  received: Received | undefined;
};

/** The message that is edited may come a moment later. */
const firstLookMs = 10_000;
/** The provider's answer to a send takes less than that, as a rule. */
const firstMatchMs = 2_000;

/** The provider's notice about a person, as of a new number: they wrote nothing. */
const isNotice = ({ message, isInbound }: Placed) => isInbound && message.type === 'system';

/** An edit or a deletion of what we do not have is no new message of the person. */
const isWritten = (placed: Placed) => placed.isInbound && placed.message.amendment === undefined && !isNotice(placed);

/** From the person, or from the owner's phone app. A repeat changes nothing. `who`: the person's present addresses. */
export async function applyMessage(
  { transact, secrets, stopWords, received, matched }: Applying,
  channelId: string,
  message: InboundMessage,
  who: InboundMessage['from'] = message.from,
): Promise<'new' | 'repeat'> {
  const isInbound = message.direction === 'inbound';
  const isStop = isInbound && isStopWord(stopWords, message.type, message.content);
  const hasFile = fileIdIn(message.type, message.content) !== undefined;
  const answered = message.flowAnswer;
  const look = () =>
    transact({ retryOn: [identityTaken, conversationTaken] }, async ({ own }): Promise<Looked> => {
      const conversation = await resolveConversation(own, secrets, channelId, who);
      if (!answered) return conversation;
      const { contextId = null } = message;
      const { token } = answered;
      return {
        ...conversation,
        match: await findOpening(own, secrets, { channelId, conversationId: conversation.id, contextId, token }),
      };
    });
  // An echo can have statuses that came before it.
  const answer = isInbound ? [] : [{ channelId, providerMessageId: message.providerMessageId }];
  const locks = ({ id, contactId }: ConversationRef) => [
    conversationLane(id),
    ...answer.map(answerLockOf),
    ...(isStop ? [contactLock(contactId)] : []),
  ];
  // If the contact is erased at the same time, the sender becomes a new contact.
  const applied = await transact({ look, locks, outdatedBy: isContactMissing }, async (tx, conversation) => {
    const placed = { id: uuidv7(), channelId, conversationId: conversation.id, message, isInbound, hasFile, received };
    const inserted = await insertMessage(tx.own, placed);
    if (!inserted) return { outcome: 'repeat' as const };
    const { contact_id: contactId, clicked_message_id: clicked } = inserted;
    if (clicked && isInbound) await hearClick(tx.own, clicked);
    if (isStop) {
      tx.assertLocked(contactLock(contactId));
      await optOut(tx.own, contactId, placed.id, message.at);
    }
    const { is_nameless, awaited, ...statuses } = await updateConversation(tx.own, placed);
    if (awaited && isWritten(placed))
      await hearAnswer(tx.own, { conversationId: conversation.id, recipientId: awaited, at: message.at });
    emitNew(tx.own, placed, contactId, statuses);
    if (answered) {
      const { match = unmatched } = conversation;
      storeResponse(
        tx.own,
        { messageId: placed.id, conversationId: placed.conversationId, contactId, channelId },
        answered,
        match,
      );
      if (match.isOpen) tx.own.enqueue(matchAnswerJob, { message_id: placed.id }, { delayMs: firstMatchMs });
    }
    wakeKept(tx.own, answer);
    if (placed.hasFile) await fetchLater(tx.own, placed.id);
    if (message.amendment) tx.own.enqueue(amendMessageJob, { message_id: placed.id }, { delayMs: firstLookMs });
    const rule = answered && !conversation.match?.isOpen ? (conversation.match?.rule ?? 'none') : undefined;
    return { outcome: 'new' as const, nameless: is_nameless ? contactId : undefined, rule };
  });
  if (applied.rule) matched?.(applied.rule);
  const { name } = message.from;
  if (applied.nameless && isInbound && name) await nameByProfile(transact, applied.nameless, withoutNul(name));
  return applied.outcome;
}

/** Of two messages in one body the later place is the later time. */
const receivedAt = (at: string, place: string) => `${at}::timestamptz + ${place}::int * interval '1 microsecond'`;

/** `clicked_message_id`: a button of a campaign's message. */
type Inserted = { contact_id: string; clicked_message_id: string | null };

/** Created when it was received: lists show that order, whichever worker was faster. Undefined: the message is stored already. */
async function insertMessage(own: OwnTx, { id, channelId, conversationId, message, isInbound, hasFile, received }: Placed) {
  const { direction, type, from, content, contextId = null, providerMessageId, at } = message;
  // SQL: inserts with the conversation's present contact; a repeat inserts nothing (bench: inbound).
  const [inserted] = await own.sql<Inserted>(
    `insert into messages (
       id, organization_id, channel_id, conversation_id, contact_id, direction, type, status,
       from_phone, to_phone, to_user_id, content, context_id, provider_message_id, provider_at, created_at,
       context_message_id)
     select $2, $1, $3, v.id, v.contact_id, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14,
            coalesce(${receivedAt('$15', '$16')}, clock_timestamp()),
            (select x.id
               from messages x
              where x.organization_id = $1 and x.channel_id = $3 and x.provider_message_id = $12)
       from conversations v
      where v.organization_id = $1 and v.id = $4 and v.contact_id is not null
     on conflict on constraint messages_provider_message_id do nothing
     returning contact_id, case when type in ('button', 'interactive') then (
                 select x.id
                   from messages x
                  where x.organization_id = $1 and x.id = messages.context_message_id and x.campaign_id is not null) end as clicked_message_id`,
    [
      id,
      channelId,
      conversationId,
      direction,
      type,
      isInbound ? 'received' : 'sent',
      isInbound ? (from.phoneId ?? '') : '',
      isInbound ? '' : (from.phoneId ?? ''),
      isInbound ? '' : (from.userId ?? ''),
      jsonWithoutNul(hasFile ? { ...content, media: { status: 'pending' } } : content),
      contextId,
      providerMessageId,
      at,
      received?.at ?? null,
      received?.place ?? 0,
    ],
  );
  if (inserted) return inserted;
  if (await isStored(own, channelId, providerMessageId)) {
    if (received) await receivedBefore(own, channelId, providerMessageId, received);
    return undefined;
  }
  // The conversation was merged, or its contact erased, before its lane was locked.
  throw new LocksOutdated();
}

/** SQL: a condition on the row. The provider's repeat was applied before the first: the message is as old as that. */
const receivedBefore = (own: OwnTx, channelId: string, providerMessageId: string, { at, place }: Received) =>
  own.sql(
    `update messages
        set created_at = ${receivedAt('$4', '$5')}
      where organization_id = $1 and channel_id = $2 and provider_message_id = $3 and provider_at is not null
        and created_at > ${receivedAt('$4', '$5')}`,
    [channelId, providerMessageId, at, place],
  );

/** `is_late`: the person wrote something later that is here already. */
type Statuses = { status: ConversationStatus; was: ConversationStatus; is_late: boolean };
/** `awaited`: the recipient of a campaign who has not answered before. */
type Updated = Statuses & { is_nameless: boolean; awaited: string | null };

/** The provider's times are whole seconds. */
const isLate = (lastInbound: string) => `coalesce($5::timestamptz < date_trunc('second', ${lastInbound}), false)`;

/** Profile fields that the provider left out stay as they were; so does the preview after a message older than the last of the person. */
async function updateConversation(own: OwnTx, placed: Placed): Promise<Updated> {
  const { conversationId, message, isInbound } = placed;
  const { name, username, phoneId, userId } = isInbound ? message.from : {};
  // SQL: changes by what the row holds, and returns whether its contact has a name (bench: inbound).
  const [updated] = await own.sql<Updated>(
    `update conversations
        set status = case when status = 'resolved' and $10 or status = 'snoozed' and $4 then 'open' else status end,
            snoozed_until = case when $4 then null else snoozed_until end,
            unread_count = unread_count + case when $4 then 1 else 0 end,
            preview = case when ${isLate('last_inbound_at')} then preview else $3 end,
            last_message_at = clock_timestamp(), updated_at = clock_timestamp(),
            last_inbound_at = case
              when $4 then greatest(last_inbound_at, least($5::timestamptz, clock_timestamp()))
              else last_inbound_at end,
            profile_name = coalesce($6, profile_name),
            profile_username = coalesce($7, profile_username),
            profile_phone = coalesce($8, profile_phone),
            profile_user_id = coalesce($9, profile_user_id)
      where id = $2 and organization_id = $1
     returning status, awaited_recipient_id as awaited, old.status as was, ${isLate('old.last_inbound_at')} as is_late,
               (select k.name = '' from contacts k where k.organization_id = $1 and k.id = contact_id) as is_nameless`,
    [
      conversationId,
      withoutNul(previewOf(message.type, message.content)),
      isWritten(placed),
      message.at,
      ...[name, username, phoneId, userId].map((field) => (field ? withoutNul(field) : null)),
      !isNotice(placed),
    ],
  );
  return updated ?? { status: 'open', was: 'open', is_late: false, is_nameless: false, awaited: null };
}

function emitNew(own: OwnTx, placed: Placed, contactId: string, { status, was, is_late }: Statuses) {
  const { id, channelId, conversationId, message, isInbound } = placed;
  own.emit(messageNew, {
    message_id: id,
    conversation_id: conversationId,
    contact_id: contactId,
    channel_id: channelId,
    direction: message.direction,
    from_phone: isInbound ? (message.from.phoneId ?? '') : '',
    msg_type: message.type,
  });
  const isWoken = was === 'snoozed' && status !== was;
  const changed = [
    ...(status === was ? [] : ['status']),
    ...(isWoken ? ['snoozed_until'] : []),
    ...(is_late ? [] : ['preview']),
    ...(isWritten(placed) ? ['unread_count'] : []),
  ];
  own.emit(conversationUpdated, { conversation_id: conversationId, status, changed });
  if (isWoken) callOffWake(own, [conversationId]);
}

const messageOfProvider = statement(
  (select, { channelId, providerMessageId }: { channelId: string; providerMessageId: string }) =>
    select(Message).select('id').where('channel_id', '=', channelId).where('provider_message_id', '=', providerMessageId),
);

export async function isStored(own: Own, channelId: string, providerMessageId: string): Promise<boolean> {
  const found = await messageOfProvider(own, { channelId, providerMessageId });
  return found.length > 0;
}
