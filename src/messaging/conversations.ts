import { type Person, resolveContact } from '../contacts/identities/resolve.ts';
import { assertContact } from '../contacts/queries.ts';
import { cut } from '../platform/cut.ts';
import type { RowOf } from '../platform/database/tables.ts';
import { conversationCreated } from '../platform/events/catalogue.ts';
import { uuidv7 } from '../platform/ids.ts';
import { LocksOutdated } from '../platform/ledger/locks.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';
import type { Secrets } from '../platform/secrets.ts';
import type { Conversation, ConversationStatus } from './conversation.entity.ts';

export type ConversationRef = { id: string; contactId: string; status: ConversationStatus };

export const conversationTaken = 'conversations_pair';

/** Run with `retryOn: [conversationTaken, identityTaken]`. */
export async function resolveConversation(
  tx: OwnTx,
  secrets: Secrets,
  channelId: string,
  who: Person | { contactId: string },
): Promise<ConversationRef> {
  const contactId = 'contactId' in who ? who.contactId : await resolveContact(tx, secrets, who);
  // SQL: found by the pair (bench: inbound).
  const [found] = await tx.sql<RowOf<typeof Conversation, 'id' | 'status'>>(
    `select v.id, v.status
       from conversations v
      where v.organization_id = $1 and v.channel_id = $2 and v.contact_id = $3`,
    [channelId, contactId],
  );
  if (found) return { ...found, contactId };
  const id = uuidv7();
  await tx.lockNew('conversation', id);
  // SQL: inserts nothing for a merged or erased contact, and locks the contact against both until the commit.
  const made = await tx.sql(
    `insert into conversations (id, organization_id, channel_id, contact_id, status)
     select $2, $1, $3, k.id, 'open'
       from contacts k
      where k.organization_id = $1 and k.id = $4
        for key share
     returning id`,
    [id, channelId, contactId],
  );
  if (made.length === 0) {
    // A contact named by its id is a 404; one named by an address is looked up again.
    if ('contactId' in who) await assertContact(tx, contactId);
    throw new LocksOutdated();
  }
  tx.emit(conversationCreated, { conversation_id: id, contact_id: contactId, channel_id: channelId, status: 'open' });
  return { id, contactId, status: 'open' };
}

/** A free-form message is allowed this long after the last inbound message. */
export const windowHours = 24;

export function previewOf(type: string, content: Record<string, unknown>): string {
  const said = wordsOf(type, content) ?? content.caption;
  return cut(typeof said === 'string' && said ? said : `[${type}]`, 120);
}

type Part = { text?: unknown; title?: unknown; body?: unknown } | undefined;

/** What a person reads of it; undefined: nothing of the kind. */
export function wordsOf(type: string, content: Record<string, unknown>): unknown {
  switch (type) {
    case 'text':
      return content.body;
    case 'template':
      return `[${content.name}]`;
    case 'interactive':
      return (content.body as Part)?.text ?? answerIn(content);
    case 'button':
    case 'order':
      return content.text;
    case 'location':
      return content.name;
    case 'reaction':
      return content.emoji;
  }
}

/** What a person chose or filled in. */
function answerIn({ type, ...content }: Record<string, unknown>): unknown {
  const answer = typeof type === 'string' ? (content[type] as Part) : undefined;
  return answer?.title ?? answer?.body;
}
