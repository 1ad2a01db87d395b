import { type Person, resolveContact } from '../contacts/identities/resolve.ts';
import { assertContact } from '../contacts/queries.ts';
import { conversationCreated } from '../platform/events/catalogue.ts';
import { uuidv7 } from '../platform/ids.ts';
import { LocksOutdated } from '../platform/ledger/locks.ts';
import type { Tx } from '../platform/ledger/tx.ts';
import type { Secrets } from '../platform/secrets.ts';

export type ConversationRef = { id: string; contactId: string };

export const conversationTaken = 'conversations_pair';

/** Exactly one conversation a channel and contact. Run with `retryOn: [conversationTaken, identityTaken]`. */
export async function resolveConversation(
  tx: Tx,
  secrets: Secrets,
  channel: { id: string; organizationId: string },
  who: Person | { contactId: string },
): Promise<ConversationRef> {
  const contactId = 'contactId' in who ? who.contactId : await resolveContact(tx.of(channel.organizationId), secrets, who);
  const [found] = await tx.query<{ id: string }>('select id from conversations where channel_id = $1 and contact_id = $2', [
    channel.id,
    contactId,
  ]);
  if (found) return { id: found.id, contactId };
  const id = uuidv7();
  await tx.lockNew('conversation', id);
  const made = await tx.query(
    `insert into conversations (id, organization_id, channel_id, contact_id, status)
     select $1, $2, $3, k.id, 'open' from contacts k where k.organization_id = $2 and k.id = $4 for key share returning id`,
    [id, channel.organizationId, channel.id, contactId],
  );
  if (made.length === 0) {
    // Merged or forgotten since it was found: whoever named it by its id is told, any other address is somebody's by now.
    if ('contactId' in who) await assertContact(tx.of(channel.organizationId), contactId);
    throw new LocksOutdated();
  }
  tx.emit(
    conversationCreated,
    { conversation_id: id, contact_id: contactId, channel_id: channel.id, status: 'open' },
    { organizationId: channel.organizationId },
  );
  return { id, contactId };
}

/** What an inbound message opens, and a free-form message needs. */
export const windowHours = 24;

/** The first words of a message, for lists. */
export function previewOf(type: string, content: Record<string, unknown>): string {
  const body = type === 'text' ? content.body : type === 'template' ? `[${content.name}]` : (content.caption ?? `[${type}]`);
  return String(body ?? `[${type}]`).slice(0, 120);
}
