import type { ConversationStatus } from '../messaging/conversation.entity.ts';
import { previewOf } from '../messaging/conversations.ts';
import { callOffWake } from '../messaging/inbox/wake.ts';
import { conversationUpdated, messageNew } from '../platform/events/catalogue.ts';
import type { PartText } from '../platform/ledger/part.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';
import type { InboundMessage } from '../providers/messaging-app/inbound.ts';
import { jsonWithoutNul, withoutNul } from './without-nul.ts';

/** When the webhook of a message came in, and the message's place in it. */
export type Received = { at: string; place: number };

export type Placed = {
  id: string;
  channelId: string;
  conversationId: string;
  message: InboundMessage;
  isInbound: boolean;
  hasFile: boolean;
  received: Received | undefined;
};

/** The provider's notice about a person, as of a new number: they wrote nothing. */
const isNotice = ({ message, isInbound }: Placed) => isInbound && message.type === 'system';

/** An edit or a deletion of what we do not have is no new message of the person. */
export const isWritten = (placed: Placed) => placed.isInbound && placed.message.amendment === undefined && !isNotice(placed);

/** Of two messages in one body the later place is the later time. */
export const receivedAt = (at: string, place: string) => `${at}::timestamptz + ${place}::int * interval '1 microsecond'`;

/**
 * SQL: inserts with the conversation's present contact; a repeat inserts nothing (bench: inbound). Created when it was received: lists show
 * that order, whichever worker was faster. It ends with its condition, to which the caller may add.
 */
export const insertMessage: PartText = (
  ...[organization, id, channel, conversation, direction, type, status, fromPhone, toPhone, toUser, content, context, ...more]
) => {
  const [providerId, at, received, place] = more;
  return `
    insert into messages (
       id, organization_id, channel_id, conversation_id, contact_id, direction, type, status,
       from_phone, to_phone, to_user_id, content, context_id, provider_message_id, provider_at, created_at,
       context_message_id)
     select ${id}, ${organization}, ${channel}, v.id, v.contact_id, ${direction}, ${type}, ${status}, ${fromPhone}, ${toPhone}, ${toUser},
            ${content}, ${context}, ${providerId}, ${at}, coalesce(${receivedAt(received!, place!)}, clock_timestamp()),
            (select x.id
               from messages x
              where x.organization_id = ${organization} and x.channel_id = ${channel} and x.provider_message_id = ${context})
       from conversations v
      where v.organization_id = ${organization} and v.id = ${conversation} and v.contact_id is not null`;
};
export const orRepeat = `
     on conflict on constraint messages_provider_message_id do nothing`;

/** Of `insertMessage`, without the organization. */
export function paramsOfMessage({ id, channelId, conversationId, message, isInbound, hasFile, received }: Placed): unknown[] {
  const { direction, type, from, content, contextId = null, providerMessageId, at } = message;
  return [
    ...[id, channelId, conversationId, direction, type, isInbound ? 'received' : 'sent'],
    ...[isInbound ? (from.phoneId ?? '') : '', isInbound ? '' : (from.phoneId ?? ''), isInbound ? '' : (from.userId ?? '')],
    jsonWithoutNul(hasFile ? { ...content, media: { status: 'pending' } } : content),
    ...[contextId, providerMessageId, at, received?.at ?? null, received?.place ?? 0],
  ];
}

/** SQL: the person wrote something later that is here already. The provider's times are whole seconds. */
export const isLate = (at: string, lastInbound: string) =>
  `coalesce(${at}::timestamptz < date_trunc('second', ${lastInbound}), false)`;

/**
 * SQL: changes by what the row holds (bench: inbound). Profile fields that the provider left out stay as they were; so does the preview after
 * a message older than the last of the person. It ends with its condition, to which the caller may add.
 */
export const showMessage: PartText = (
  ...[organization, conversation, preview, written, at, name, username, phone, user, wakes]
) => `
    update conversations
        set status = case when status = 'resolved' and ${wakes} or status = 'snoozed' and ${written} then 'open' else status end,
            snoozed_until = case when ${written} then null else snoozed_until end,
            unread_count = unread_count + case when ${written} then 1 else 0 end,
            preview = case when ${isLate(at!, 'last_inbound_at')} then preview else ${preview} end,
            last_message_at = clock_timestamp(), updated_at = clock_timestamp(),
            last_inbound_at = case
              when ${written} then greatest(last_inbound_at, least(${at}::timestamptz, clock_timestamp()))
              else last_inbound_at end,
            profile_name = coalesce(${name}, profile_name),
            profile_username = coalesce(${username}, profile_username),
            profile_phone = coalesce(${phone}, profile_phone),
            profile_user_id = coalesce(${user}, profile_user_id)
      where id = ${conversation} and organization_id = ${organization}`;

/** Of a row that `showMessage` changed; the conversation's status before it, whether it is late, and the recipient of a campaign who has not answered before. */
export const shownOf = (at: string) =>
  `status, awaited_recipient_id as awaited, old.status as was, ${isLate(at, 'old.last_inbound_at')} as is_late`;

/** Of `showMessage`, without the organization. */
export function paramsOfShown(placed: Placed): unknown[] {
  const { conversationId, message, isInbound } = placed;
  const { name, username, phoneId, userId } = isInbound ? message.from : {};
  return [
    ...[conversationId, withoutNul(previewOf(message.type, message.content)), isWritten(placed), message.at],
    ...[name, username, phoneId, userId].map((field) => (field ? withoutNul(field) : null)),
    !isNotice(placed),
  ];
}

export type Statuses = { status: ConversationStatus; was: ConversationStatus; is_late: boolean };

export const newsTypes = [messageNew.type, conversationUpdated.type];

/** `isHeard`: false where a look found nobody who listens. */
export function emitNew(own: OwnTx, placed: Placed, contactId: string, { status, was, is_late }: Statuses, isHeard = true) {
  const { id, channelId, conversationId, message, isInbound } = placed;
  own.emit(
    messageNew,
    {
      message_id: id,
      conversation_id: conversationId,
      contact_id: contactId,
      channel_id: channelId,
      direction: message.direction,
      from_phone: isInbound ? (message.from.phoneId ?? '') : '',
      msg_type: message.type,
    },
    { isHeard },
  );
  const isWoken = was === 'snoozed' && status !== was;
  const changed = [
    ...(status === was ? [] : ['status']),
    ...(isWoken ? ['snoozed_until'] : []),
    ...(is_late ? [] : ['preview']),
    ...(isWritten(placed) ? ['unread_count'] : []),
  ];
  own.emit(conversationUpdated, { conversation_id: conversationId, status, changed }, { isHeard });
  if (isWoken) callOffWake(own, [conversationId]);
}
