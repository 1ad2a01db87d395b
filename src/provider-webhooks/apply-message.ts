import { isContactMissing } from '../contacts/contact-missing.ts';
import { contactLock } from '../contacts/events.ts';
import { identityTaken } from '../contacts/identities/resolve.ts';
import { optOut } from '../contacts/permission/opt-out.ts';
import { nameByProfile } from '../contacts/profiles.ts';
import { type ConversationRef, conversationTaken, previewOf, resolveConversation } from '../messaging/conversations.ts';
import { isStopWord } from '../messaging/stop-words.ts';
import type { Source } from '../platform/database/database.ts';
import { query } from '../platform/database/query.ts';
import { conversationUpdated, messageNew } from '../platform/events/catalogue.ts';
import { uuidv7 } from '../platform/ids.ts';
import { conversationLane, LocksOutdated } from '../platform/ledger/locks.ts';
import type { Transact } from '../platform/ledger/transact.ts';
import type { Secrets } from '../platform/secrets.ts';
import type { InboundMessage } from '../providers/messaging-app/inbound.ts';

export type ChannelRef = { id: string; organizationId: string };

/** What applying needs beside the message. */
export type Applying = { secrets: Secrets; stopWords: string[] };

/**
 * A person wrote, or the owner did from the phone app. The provider's id is unique in the channel: a repeat changes nothing. `who`: as the
 * person is known by now. One who is forgotten at this very moment is somebody new. One of `stopWords` also writes that the
 * person wants no more.
 */
export async function applyMessage(
  transact: Transact,
  applying: Applying,
  channel: ChannelRef,
  message: InboundMessage,
  who: InboundMessage['from'] = message.from,
): Promise<'new' | 'repeat'> {
  const { organizationId } = channel;
  const isInbound = message.direction === 'inbound';
  const isStop = isInbound && isStopWord(applying.stopWords, message.type, message.content);
  const look = () =>
    transact({ retryOn: [identityTaken, conversationTaken] }, (tx) => resolveConversation(tx, applying.secrets, channel, who));
  const locks = ({ id, contactId }: ConversationRef) => [conversationLane(id), ...(isStop ? [contactLock(contactId)] : [])];
  const { applied, nameless } = await transact({ look, locks, outdatedBy: isContactMissing }, async (tx, conversation) => {
    const id = uuidv7();
    const [inserted] = await tx.query<{ contact_id: string }>(
      `insert into messages (id, organization_id, channel_id, conversation_id, contact_id, direction, type, status, from_phone, to_phone, to_user_id, content, context_id, provider_message_id, provider_at)
       select $1, $2, $3, v.id, v.contact_id, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14 from conversations v
        where v.organization_id = $2 and v.id = $4 and v.contact_id is not null
       on conflict on constraint messages_provider_message_id do nothing returning contact_id`,
      [
        id,
        organizationId,
        channel.id,
        conversation.id,
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
    if (!inserted) {
      if (await isStored(tx.em, channel, message.providerMessageId)) return { applied: 'repeat' as const };
      // The conversation became part of another, or lost its person, before its lane was had.
      throw new LocksOutdated();
    }
    if (isStop) {
      tx.assertLocked(contactLock(inserted.contact_id));
      await optOut(tx.of(organizationId), inserted.contact_id, id, message.at);
    }
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
        ...(isInbound ? profileFields(message.from) : [null, null, null, null]),
      ],
    );
    tx.emit(
      messageNew,
      {
        message_id: id,
        conversation_id: conversation.id,
        contact_id: inserted.contact_id,
        channel_id: channel.id,
        direction: message.direction,
        from_phone: isInbound ? (message.from.phoneId ?? '') : '',
        msg_type: message.type,
      },
      { organizationId },
    );
    tx.emit(conversationUpdated, { conversation_id: conversation.id, status: row?.status ?? 'open' }, { organizationId });
    return { applied: 'new' as const, nameless: row?.is_nameless ? inserted.contact_id : undefined };
  });
  const { name } = message.from;
  if (nameless && isInbound && name) await nameByProfile(transact, organizationId, nameless, withoutNul(name));
  return applied;
}

export async function isStored(source: Source, { id, organizationId }: ChannelRef, providerMessageId: string): Promise<boolean> {
  const found = await query(
    source,
    'select 1 from messages where organization_id = $1 and channel_id = $2 and provider_message_id = $3',
    [organizationId, id, providerMessageId],
  );
  return found.length > 0;
}

/** What is not told this time stays as it was told before. */
const profileFields = ({ name, username, phoneId, userId }: InboundMessage['from']) =>
  [name, username, phoneId, userId].map((told) => (told ? withoutNul(told) : null));

/** jsonb and text refuse NUL; a person can still write one. It becomes the sign for an unknown character. */
const withoutNul = (text: string) => text.replaceAll('\u0000', '\ufffd');
const jsonText = (value: unknown) => JSON.stringify(value).replace(/(?<!\\)((?:\\\\)*)\\u0000/g, '$1\\ufffd');
