import { contactLock } from '../contacts/events.ts';
import { optOut } from '../contacts/opt-out.ts';
import { identityTaken } from '../contacts/resolve.ts';
import { conversationUpdated, messageNew } from '../events/catalogue.ts';
import { uuidv7 } from '../ids.ts';
import { conversationLane } from '../ledger/locks.ts';
import type { Transact } from '../ledger/transact.ts';
import { conversationTaken, previewOf, resolveConversation } from '../messaging/conversations.ts';
import { isStopWord } from '../messaging/stop-words.ts';
import type { InboundMessage } from '../providers/messaging-app/inbound.ts';
import type { Secrets } from '../secrets.ts';

export type ChannelRef = { id: string; organizationId: string };

/**
 * A person wrote, or the owner did from the phone app. The provider's id is unique in the channel: a repeat changes nothing. One of
 * `stopWords` also writes that the person wants no more.
 */
export async function applyMessage(
  transact: Transact,
  { secrets, stopWords }: { secrets: Secrets; stopWords: string[] },
  channel: ChannelRef,
  message: InboundMessage,
): Promise<'new' | 'repeat'> {
  const { organizationId } = channel;
  const conversation = await transact({ retryOn: [identityTaken, conversationTaken] }, (tx) =>
    resolveConversation(tx, secrets, channel, message.from),
  );
  const isInbound = message.direction === 'inbound';
  const isStop = isInbound && isStopWord(stopWords, message.type, message.content);
  const locks = [conversationLane(conversation.id), ...(isStop ? [contactLock(conversation.contactId)] : [])];
  return transact({ locks }, async (tx) => {
    const id = uuidv7();
    const inserted = await tx.query(
      `insert into messages (id, organization_id, channel_id, conversation_id, contact_id, direction, type, status, from_phone, to_phone, to_user_id, content, context_id, provider_message_id, provider_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15) on conflict on constraint messages_provider_message_id do nothing returning id`,
      [
        id,
        organizationId,
        channel.id,
        conversation.id,
        conversation.contactId,
        message.direction,
        message.type,
        isInbound ? 'received' : 'sent',
        isInbound ? (message.from.phoneId ?? '') : '',
        isInbound ? '' : (message.from.phoneId ?? ''),
        isInbound ? '' : (message.from.userId ?? ''),
        jsonText(message.content),
        message.contextId ?? null,
        message.providerMessageId,
        message.at,
      ],
    );
    if (inserted.length === 0) return 'repeat';
    if (isStop) await optOut(tx, organizationId, conversation.contactId, id, message.at);
    const [row] = await tx.query<{ status: string }>(
      `update conversations set status = case when status = 'resolved' then 'open' else status end, preview = $3, last_message_at = clock_timestamp(), updated_at = clock_timestamp(),
              last_inbound_at = case when $4 then greatest(last_inbound_at, least($5::timestamptz, clock_timestamp())) else last_inbound_at end
        where id = $1 and organization_id = $2 returning status`,
      [conversation.id, organizationId, withoutNul(previewOf(message.type, message.content)), isInbound, message.at],
    );
    tx.emit(
      messageNew,
      {
        message_id: id,
        conversation_id: conversation.id,
        contact_id: conversation.contactId,
        channel_id: channel.id,
        direction: message.direction,
        from_phone: isInbound ? (message.from.phoneId ?? '') : '',
        msg_type: message.type,
      },
      { organizationId },
    );
    tx.emit(conversationUpdated, { conversation_id: conversation.id, status: row?.status ?? 'open' }, { organizationId });
    return 'new';
  });
}

/** jsonb and text refuse NUL; a person can still write one. It becomes the sign for an unknown character. */
const withoutNul = (text: string) => text.replaceAll('\u0000', '\ufffd');
const jsonText = (value: unknown) => JSON.stringify(value).replace(/(?<!\\)((?:\\\\)*)\\u0000/g, '$1\\ufffd');
