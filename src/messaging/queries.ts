import type { Source } from '../platform/database/database.ts';
import { query } from '../platform/database/query.ts';
import { type Ask, type Page, type PageRows, pageAskedFor } from '../platform/listing/paging.ts';
import type { Direction, Failure, MessageStatus } from './message.entity.ts';

export type MessageRow = {
  id: string;
  channel_id: string;
  conversation_id: string;
  contact_id: string | null;
  direction: Direction;
  type: string;
  status: MessageStatus;
  to_phone: string;
  content: Record<string, unknown>;
  provider_message_id: string | null;
  failure: Failure | null;
  created_at: string;
  updated_at: string;
};

/** What the wire shows of a message, from a table or CTE called `m`. */
export const messageColumns = `m.id, m.channel_id, m.conversation_id, m.contact_id, m.direction, m.type, m.status, m.to_phone, m.content, m.provider_message_id, m.failure, m.created_at, m.updated_at`;

export async function findMessage(source: Source, organizationId: string, id: string): Promise<MessageRow | undefined> {
  const [row] = await query<MessageRow>(
    source,
    `select ${messageColumns} from messages m where m.organization_id = $1 and m.id = $2`,
    [organizationId, id],
  );
  return row;
}

export type MessageFilter = { channelId?: string; conversationId?: string; contactId?: string; status?: MessageStatus };

/** Newest first; one row more than asked tells whether there are more. */
export function listMessages(
  ask: Ask,
  organizationId: string,
  { channelId, conversationId, contactId, status }: MessageFilter,
  page: Page,
): Promise<PageRows<MessageRow>> {
  const wheres = ['m.organization_id = $1'];
  const params: unknown[] = [organizationId];
  if (channelId) wheres.push(`m.channel_id = $${params.push(channelId)}`);
  if (conversationId) wheres.push(`m.conversation_id = $${params.push(conversationId)}`);
  if (contactId) wheres.push(`m.contact_id = $${params.push(contactId)}`);
  if (status) wheres.push(`m.status = $${params.push(status)}`);
  const statement = `select ${messageColumns} from messages m where ${wheres.join(' and ')}`;
  return pageAskedFor<MessageRow>(ask, statement, params, page);
}
