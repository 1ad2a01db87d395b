import { nameByProfile } from '../contacts/profiles.ts';
import { identityTaken } from '../contacts/resolve.ts';
import { conversationUpdated, messageNew } from '../events/catalogue.ts';
import { uuidv7 } from '../ids.ts';
import { conversationLane } from '../ledger/locks.ts';
import type { Transact } from '../ledger/transact.ts';
import { conversationTaken, previewOf, resolveConversation } from '../messaging/conversations.ts';
import type { InboundMessage } from '../providers/messaging-app/inbound.ts';

export type ChannelRef = { id: string; organizationId: string };

/** A person wrote, or the owner did from the phone app. The provider's id is unique in the channel: a repeat changes nothing. */
export async function applyMessage(transact: Transact, channel: ChannelRef, message: InboundMessage): Promise<'new' | 'repeat'> {
  const { organizationId } = channel;
  const conversation = await transact({ retryOn: [identityTaken, conversationTaken] }, (tx) =>
    resolveConversation(tx, channel, message.from),
  );
  const isInbound = message.direction === 'inbound';
  let isNameless = false;
  const applied = await transact({ locks: [conversationLane(conversation.id)] }, async (tx) => {
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
    if (inserted.length === 0) return 'repeat' as const;
    const [row] = await tx.query<{ status: string; is_nameless: boolean }>(
      `update conversations set status = case when status = 'resolved' then 'open' else status end, preview = $3, last_message_at = clock_timestamp(), updated_at = clock_timestamp(),
              last_inbound_at = case when $4 then greatest(last_inbound_at, least($5::timestamptz, clock_timestamp())) else last_inbound_at end,
              profile_name = coalesce($6, profile_name), profile_username = coalesce($7, profile_username), profile_phone = coalesce($8, profile_phone), profile_user_id = coalesce($9, profile_user_id)
        where id = $1 and organization_id = $2
       returning status, (select k.name = '' from contacts k where k.organization_id = $2 and k.id = contact_id) as is_nameless`,
      [
        conversation.id,
        organizationId,
        withoutNul(previewOf(message.type, message.content)),
        isInbound,
        message.at,
        ...(isInbound ? profileTold(message.from) : [null, null, null, null]),
      ],
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
    isNameless = row?.is_nameless ?? false;
    return 'new' as const;
  });
  const { name } = message.from;
  if (isNameless && isInbound && name) await nameByProfile(transact, organizationId, conversation.contactId, withoutNul(name));
  return applied;
}

/** What is not told this time stays as it was told before. */
const profileTold = ({ name, username, phoneId, userId }: InboundMessage['from']) =>
  [name, username, phoneId, userId].map((told) => (told ? withoutNul(told) : null));

/** jsonb and text refuse NUL; a person can still write one. It becomes the sign for an unknown character. */
const withoutNul = (text: string) => text.replaceAll('\u0000', '\ufffd');
const jsonText = (value: unknown) => JSON.stringify(value).replace(/(?<!\\)((?:\\\\)*)\\u0000/g, '$1\\ufffd');
