import { isContactMissing } from '../contacts/contact-missing.ts';
import { identityTaken, resolveContact } from '../contacts/identities/resolve.ts';
import { previewOf } from '../messaging/conversations.ts';
import { fetchLater } from '../messaging/files/jobs.ts';
import { fileIdIn } from '../messaging/files/received.ts';
import { groupTaken, resolveGroup } from '../messaging/groups.ts';
import type { Own } from '../platform/database/own.ts';
import { conversationUpdated, groupMessageNew } from '../platform/events/catalogue.ts';
import { uuidv7 } from '../platform/ids.ts';
import { conversationLane, LocksOutdated } from '../platform/ledger/locks.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';
import type { InboundMessage } from '../providers/messaging-app/inbound.ts';
import { amendOriginal } from './apply-amendment.ts';
import { type Applying, isStored } from './apply-message.ts';
import { receivedAt } from './message-rows.ts';
import { jsonWithoutNul, withoutNul } from './without-nul.ts';

/**
 * In the conversation of the group. It was not written to us alone: it opens no window, is no STOP and no answer of a campaign, and has an event
 * of its own, so that no rule answers it. A repeat changes nothing.
 */
export async function applyGroupMessage(
  own: Own,
  { transact, secrets, received }: Applying,
  channelId: string,
  message: InboundMessage & { groupId: string },
): Promise<void> {
  const { amendment, direction, groupId } = message;
  if (amendment) {
    const amending = { channelId, direction, originalId: amendment.originalId };
    if (await amendOriginal(own, transact, amending, amendment, message.at)) return;
  }
  const look = () =>
    transact({ retryOn: [identityTaken, groupTaken] }, async ({ own: tx }) => ({
      contactId: await resolveContact(tx, secrets, message.from),
      conversationId: await resolveGroup(tx, channelId, groupId),
    }));
  const locks = ({ conversationId }: Awaited<ReturnType<typeof look>>) => [conversationLane(conversationId)];
  await transact({ look, locks, outdatedBy: isContactMissing }, async ({ own: tx }, { contactId, conversationId }) => {
    const id = uuidv7();
    const hasFile = fileIdIn(message.type, message.content) !== undefined;
    const place = { id, channelId, conversationId, contactId };
    if (!(await insert(tx, place, message, hasFile, received))) return;
    const status = await show(tx, conversationId, message);
    tx.emit(groupMessageNew, {
      message_id: id,
      conversation_id: conversationId,
      group_id: groupId,
      contact_id: contactId,
      channel_id: channelId,
      from_phone: message.from.phoneId ?? '',
      msg_type: message.type,
    });
    tx.emit(conversationUpdated, { conversation_id: conversationId, status, changed: ['preview', 'unread_count'] });
    if (hasFile) await fetchLater(tx, id);
  });
}

type Place = { id: string; channelId: string; conversationId: string; contactId: string };

/** SQL: a condition on the contact, and a repeat inserts nothing. */
const insertStatement = `
  insert into messages (
    id, organization_id, channel_id, conversation_id, contact_id, direction, type, status,
    from_phone, content, context_id, provider_message_id, provider_at, created_at, context_message_id)
  select $2, $1, $3, $4, k.id, 'inbound', $6, 'received', $7, $8, $9, $10, $11::timestamptz,
         coalesce(${receivedAt('$12', '$13')}, clock_timestamp()),
         (select x.id
            from messages x
           where x.organization_id = $1 and x.channel_id = $3 and x.provider_message_id = $9)
    from contacts k
   where k.organization_id = $1 and k.id = $5
  on conflict on constraint messages_provider_message_id do nothing
  returning id`;

/** False: it is stored already. Throws LocksOutdated when the contact was merged or erased before. */
async function insert(
  own: OwnTx,
  { id, channelId, conversationId, contactId }: Place,
  message: InboundMessage,
  hasFile: boolean,
  received: Applying['received'],
): Promise<boolean> {
  const { type, content, contextId = null, providerMessageId, at, from } = message;
  const inserted = await own.sql(insertStatement, [
    ...[id, channelId, conversationId, contactId, type, from.phoneId ?? ''],
    jsonWithoutNul(hasFile ? { ...content, media: { status: 'pending' } } : content),
    ...[contextId, providerMessageId, at, received?.at ?? null, received?.place ?? 0],
  ]);
  if (inserted.length > 0) return true;
  if (await isStored(own, channelId, providerMessageId)) return false;
  throw new LocksOutdated();
}

/** SQL: changes by what the row holds. `last_inbound_at` stays null: there is no window. */
async function show(own: OwnTx, conversationId: string, { type, content }: InboundMessage) {
  const [row] = await own.sql<{ status: string }>(
    `update conversations
        set status = case when status in ('resolved', 'snoozed') then 'open' else status end,
            snoozed_until = null,
            unread_count = unread_count + 1,
            preview = $3,
            last_message_at = clock_timestamp(), updated_at = clock_timestamp()
      where organization_id = $1 and id = $2
     returning status`,
    [conversationId, withoutNul(previewOf(type, content))],
  );
  return row?.status ?? 'open';
}
