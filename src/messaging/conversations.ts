import { type Person, resolveContact } from '../contacts/resolve.ts';
import { conversationCreated } from '../events/catalogue.ts';
import { uuidv7 } from '../ids.ts';
import type { Tx } from '../ledger/transact.ts';
import type { Secrets } from '../secrets.ts';

export type ConversationRef = { id: string; contactId: string };

export const conversationTaken = 'conversations_pair';

/** Exactly one conversation a channel and contact. Run with `retryOn: [conversationTaken, identityTaken]`. */
export async function resolveConversation(
  tx: Tx,
  secrets: Secrets,
  channel: { id: string; organizationId: string },
  who: Person | { contactId: string },
): Promise<ConversationRef> {
  const contactId = 'contactId' in who ? who.contactId : await resolveContact(tx, secrets, channel.organizationId, who);
  const [found] = await tx.query<{ id: string }>('select id from conversations where channel_id = $1 and contact_id = $2', [
    channel.id,
    contactId,
  ]);
  if (found) return { id: found.id, contactId };
  const id = uuidv7();
  await tx.lockNew('conversation', id);
  await tx.query(
    `insert into conversations (id, organization_id, channel_id, contact_id, status) values ($1, $2, $3, $4, 'open')`,
    [id, channel.organizationId, channel.id, contactId],
  );
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
