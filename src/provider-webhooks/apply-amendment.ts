import type { Conversation } from '../messaging/conversation.entity.ts';
import { previewOf } from '../messaging/conversations.ts';
import { Message } from '../messaging/message.entity.ts';
import { emitUpdated } from '../messaging/updated.ts';
import type { Own } from '../platform/database/own.ts';
import { statement } from '../platform/database/statement.ts';
import type { RowOf } from '../platform/database/tables.ts';
import { conversationUpdated } from '../platform/events/catalogue.ts';
import { conversationLane } from '../platform/ledger/locks.ts';
import type { TenantTransact } from '../platform/ledger/tenant.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';
import type { Amendment, Words } from '../providers/messaging-app/amendment.ts';
import type { InboundMessage } from '../providers/messaging-app/inbound.ts';
import { type Applying, applyMessage } from './apply-message.ts';
import { jsonWithoutNul, withoutNul } from './without-nul.ts';

type Content = Record<string, unknown> & { edited?: { at: string; before: Words }; deleted?: { at: string } };

type Amending = { channelId: string; direction: InboundMessage['direction']; originalId: string };

const originalOf = statement((select, { channelId, direction, originalId }: Amending) =>
  select(Message)
    .select(['id', 'channel_id', 'conversation_id', 'type', 'content'])
    .where('channel_id', '=', channelId)
    .where('provider_message_id', '=', originalId)
    .where('direction', '=', direction),
);

/** One whose original we do not have is stored as a message of its own, and applied when that comes. A repeat changes nothing. */
export async function applyAmendment(
  own: Own,
  applying: Applying,
  channelId: string,
  message: InboundMessage,
  amendment: Amendment,
): Promise<void> {
  const amending = { channelId, direction: message.direction, originalId: amendment.originalId };
  const isKnown = await amendOriginal(own, applying.transact, amending, amendment, message.at);
  if (!isKnown) await applyMessage(applying, channelId, message);
}

/** False: we do not have it. */
export async function amendOriginal(
  own: Own,
  transact: TenantTransact,
  amending: Amending,
  amendment: Amendment,
  at: Date,
): Promise<boolean> {
  const look = async () => (await originalOf(own, amending))[0];
  const locks = (found: Awaited<ReturnType<typeof look>>) => (found ? [conversationLane(found.conversation_id)] : []);
  return transact({ look, locks }, async (tx, found) => {
    if (!found) return false;
    // Another amendment may have been faster: read under the lock.
    const [original] = await originalOf(tx.own, amending);
    if (original) await amend(tx.own, original, amendment, at.toISOString());
    return true;
  });
}

type Original = Awaited<ReturnType<typeof originalOf>>[number];

async function amend(own: OwnTx, original: Original, { words }: Amendment, at: string) {
  own.assertLocked(conversationLane(original.conversation_id));
  const was = original.content as Content;
  const content = words ? edited(was, words, at) : deleted(was, at);
  if (!content) return;
  // SQL: the content is replaced whole, without what PostgreSQL's text cannot hold.
  await own.sql(
    `update messages
        set content = $3, updated_at = clock_timestamp()
      where organization_id = $1 and id = $2`,
    [original.id, jsonWithoutNul(content)],
  );
  await showLater(own, original, words ? previewOf(original.type, content) : '[deleted]');
  emitUpdated(own, original, words ? 'edited' : 'deleted');
}

/** What it said first is kept. An older edit than the last one, and one of a deleted message, changes nothing. */
function edited(was: Content, words: Words, at: string): Content | undefined {
  const last = was.edited?.at ?? '';
  const isSaid = Object.entries(words).every(([field, text]) => was[field] === text);
  if (was.deleted || last > at || (last === at && isSaid)) return undefined;
  const before = was.edited?.before ?? Object.fromEntries(Object.keys(words).map((field) => [field, was[field] ?? '']));
  return { ...was, ...words, edited: { at, before } };
}

/** Without its words, and those before an edit: the person took them back. */
function deleted(was: Content, at: string): Content | undefined {
  if (was.deleted) return undefined;
  const { body: _body, caption: _caption, edited: _edited, ...rest } = was as Content & Words;
  return { ...rest, deleted: { at } };
}

/**
 * The conversation's preview, where it is that of this message: a message after it may say the same. One that came late was written before it,
 * and one whose time has not come has none.
 */
async function showLater(own: OwnTx, { id, conversation_id, type, content }: Original, preview: string) {
  // SQL: by what the row shows, and returns its status.
  const [shown] = await own.sql<RowOf<typeof Conversation, 'status'>>(
    `update conversations
        set preview = $4, updated_at = clock_timestamp()
      where organization_id = $1 and id = $2 and preview = $3 and preview <> $4
        and not exists (
          select 1
            from messages m
            join messages n on n.organization_id = m.organization_id and n.conversation_id = m.conversation_id
           where m.organization_id = $1 and m.id = $5
             and (n.created_at, n.id) > (m.created_at, m.id)
             and not n.is_scheduled and coalesce(n.provider_at, n.created_at) >= m.provider_at)
     returning status`,
    [conversation_id, withoutNul(previewOf(type, content)), withoutNul(preview), id],
  );
  if (shown) own.emit(conversationUpdated, { conversation_id, status: shown.status, changed: ['preview'] });
}
