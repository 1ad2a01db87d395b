import type { Own } from '../platform/database/own.ts';
import { statement } from '../platform/database/statement.ts';
import type { RowOf } from '../platform/database/tables.ts';
import { type Ask, type Page, type PageRows, pageAskedFor } from '../platform/listing/paging.ts';
import { Message, type MessageStatus } from './message.entity.ts';

const columns = [
  'id',
  'channel_id',
  'conversation_id',
  'contact_id',
  'direction',
  'type',
  'status',
  'to_phone',
  'content',
  'provider_message_id',
  'failure',
  'created_at',
  'updated_at',
] as const;
export type MessageRow = RowOf<typeof Message, (typeof columns)[number]>;

/** For SQL text over a table or CTE called `m`. */
export const messageColumns = columns.map((column) => `m.${column}`).join(', ');

const messageById = statement((select, { id }: { id: string }) => select(Message).select(columns).where('id', '=', id));

export async function findMessage(own: Own, id: string): Promise<MessageRow | undefined> {
  const [row] = await messageById(own, { id });
  return row;
}

export type MessageFilter = { channelId?: string; conversationId?: string; contactId?: string; status?: MessageStatus };

export function listMessages(
  own: Own,
  ask: Ask,
  { channelId, conversationId, contactId, status }: MessageFilter,
  page: Page,
): Promise<PageRows<MessageRow>> {
  let messages = own.select(Message).select(columns);
  if (channelId) messages = messages.where('channel_id', '=', channelId);
  if (conversationId) messages = messages.where('conversation_id', '=', conversationId);
  if (contactId) messages = messages.where('contact_id', '=', contactId);
  if (status) messages = messages.where('status', '=', status);
  const { sql, parameters } = messages.compile();
  return pageAskedFor<MessageRow>(ask, sql, [...parameters], page);
}
