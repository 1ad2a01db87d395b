import type { Own } from '../../platform/database/own.ts';
import { statement } from '../../platform/database/statement.ts';
import type { RowOf } from '../../platform/database/tables.ts';
import { notFound } from '../../platform/errors.ts';
import { conversationUpdated } from '../../platform/events/catalogue.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import { Conversation } from '../conversation.entity.ts';
import { windowHours } from '../conversations.ts';

type Column =
  | ('id' | 'channel_id' | 'contact_id' | 'group_id' | 'status' | 'snoozed_until' | 'assignee_id' | 'priority' | 'custom_fields')
  | ('unread_count' | 'preview' | 'last_message_at' | 'last_inbound_at' | 'created_at' | 'updated_at');
export type ConversationRow = RowOf<typeof Conversation, Column> & {
  tags: string[];
  contact_name: string;
  contact_phone_number: string;
  last_activity_at: string;
  window_expires_at: string | null;
  is_window_open: boolean;
};

/** The order of lists: a new conversation has no message yet. As in the indexes. */
export const lastActivity = 'coalesce(k.last_message_at, k.created_at)';
export const isWindowOpen = `coalesce(k.last_inbound_at > clock_timestamp() - interval '${windowHours} hours', false)`;

const ofContact = (column: string) => `
  (select ${column}
     from contacts c
    where c.organization_id = k.organization_id and c.id = k.contact_id)`;

/** The fields of the wire, from a table or CTE called `k`. */
export const conversationColumns = `
  k.id, k.channel_id, k.contact_id, k.group_id, k.status, k.snoozed_until, k.assignee_id, k.priority, k.custom_fields, k.unread_count,
  k.preview, k.last_message_at, k.last_inbound_at, k.created_at, k.updated_at,
  ${lastActivity} as last_activity_at,
  k.last_inbound_at + interval '${windowHours} hours' as window_expires_at,
  ${isWindowOpen} as is_window_open,
  coalesce(nullif(${ofContact('c.name')}, ''), k.profile_name) as contact_name,
  coalesce(${ofContact('c.phone_number')}, '') as contact_phone_number,
  array(
    select t.name
      from conversation_tags a
      join tags t on t.organization_id = a.organization_id and t.id = a.tag_id
     where a.organization_id = k.organization_id and a.conversation_id = k.id
     order by t.name) as tags`;

/** SQL: its tags are a list made of a second table, its contact's name is of a third. */
const byId = `
  select ${conversationColumns}
    from conversations k
   where k.organization_id = $1
     and k.id = $2`;

export async function findConversation(own: Own, id: string): Promise<ConversationRow | undefined> {
  const [row] = await own.sql<ConversationRow>(byId, [id]);
  return row;
}

/** Throws 404. */
export async function getConversation(own: Own, id: string): Promise<ConversationRow> {
  const row = await findConversation(own, id);
  if (!row) throw notFound('Conversation');
  return row;
}

const brief = statement((select, { id }: { id: string }) =>
  select(Conversation).select(['id', 'status', 'contact_id']).where('id', '=', id),
);

/** Throws 404. */
export async function findBrief(own: Own, id: string): Promise<RowOf<typeof Conversation, 'id' | 'status' | 'contact_id'>> {
  const [row] = await brief(own, { id });
  if (!row) throw notFound('Conversation');
  return row;
}

/** `changed`: names of fields in the API. Needs the conversation's lane. */
export function emitChanged(tx: OwnTx, { id, status }: { id: string; status: string }, changed: string[]) {
  tx.emit(conversationUpdated, { conversation_id: id, status, changed });
}
