import { statement } from '../platform/database/statement.ts';
import { conversationUpdated } from '../platform/events/catalogue.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';
import type { ConversationStatus } from './conversation.entity.ts';
import { previewOf } from './conversations.ts';
import { Message } from './message.entity.ts';

const messageById = statement((select, { id }: { id: string }) =>
  select(Message).select(['conversation_id', 'type', 'content', 'send_at']).where('id', '=', id),
);

/** For a message that goes out again. A scheduled one becomes the preview: it may have failed before it was. Needs the conversation's lane. */
export async function reopenConversation(tx: OwnTx, messageId: string): Promise<void> {
  const [message] = await messageById(tx, { id: messageId });
  if (!message) return;
  const { conversation_id, type, content, send_at } = message;
  const preview = send_at === null ? null : previewOf(type, content);
  // SQL: the conversation's status before the change decides what the event says.
  const [touched] = await tx.sql<{ status: ConversationStatus; was: ConversationStatus }>(
    `update conversations v
        set status = case v.status when 'resolved' then 'open' else v.status end,
            preview = coalesce($3, v.preview),
            last_message_at = case when $3::text is null then v.last_message_at else clock_timestamp() end,
            updated_at = clock_timestamp()
      where v.organization_id = $1
        and v.id = $2
        and v.contact_id is not null
        and (v.status = 'resolved' or $3::text is not null)
     returning v.status, old.status as was`,
    [conversation_id, preview],
  );
  if (!touched) return;
  const changed = [...(touched.status === touched.was ? [] : ['status']), ...(preview === null ? [] : ['preview'])];
  tx.emit(conversationUpdated, { conversation_id, status: touched.status, changed });
}
