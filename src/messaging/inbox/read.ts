import type { RowOf } from '../../platform/database/tables.ts';
import { invalidField } from '../../platform/errors.ts';
import { conversationLane } from '../../platform/ledger/locks.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import type { Conversation } from '../conversation.entity.ts';
import { type ConversationRow, emitChanged, getConversation } from './conversation-row.ts';

/** SQL: a bounded count of what came after one message. */
const unreadAfter = `
  select count(u.one)::int as total
    from messages m
    left join lateral (
      select 1 as one
        from messages n
       where n.organization_id = m.organization_id
         and n.conversation_id = m.conversation_id
         and n.direction = 'inbound'
         and (n.created_at, n.id) > (m.created_at, m.id)
       limit $4) u on true
   where m.organization_id = $1
     and m.conversation_id = $2
     and m.id = $3
   group by m.id`;

const readStatement = `
  update conversations
     set unread_count = $3,
         updated_at = clock_timestamp()
   where organization_id = $1
     and id = $2
     and unread_count > $3
  returning id, status`;

/** Up to a message, or all of it; never more unread than before. Needs the conversation's lane. Throws 404, 422 for a foreign message. */
export async function markRead(tx: OwnTx, id: string, messageId?: string): Promise<ConversationRow> {
  tx.assertLocked(conversationLane(id));
  const before = await getConversation(tx, id);
  const left = messageId ? await leftUnread(tx, before, messageId) : 0;
  const [read] = await tx.sql<RowOf<typeof Conversation, 'id' | 'status'>>(readStatement, [id, left]);
  if (!read) return before;
  emitChanged(tx, read, ['unread_count']);
  return getConversation(tx, id);
}

async function leftUnread(tx: OwnTx, { id, unread_count }: ConversationRow, messageId: string): Promise<number> {
  const [row] = await tx.sql<{ total: number }>(unreadAfter, [id, messageId, unread_count]);
  if (!row) throw invalidField('message_id', 'No message of this conversation has this id');
  return row.total;
}
