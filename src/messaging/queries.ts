import { type SqlBool, sql } from 'kysely';
import type { Own } from '../platform/database/own.ts';
import { statement } from '../platform/database/statement.ts';
import type { RowOf } from '../platform/database/tables.ts';
import { type Ask, type Page, type PageRows, pageAskedFor } from '../platform/listing/paging.ts';
import { type Direction, Message, type MessageStatus } from './message.entity.ts';

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
  'send_at',
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

export type MessageFilter = {
  channelId?: string;
  conversationId?: string;
  contactId?: string;
  status?: MessageStatus;
  direction?: Direction;
  type?: string;
  /** The first moment, and the first one after the last. */
  since?: string;
  until?: string;
  search?: string;
  isScheduled?: boolean;
};

/** What a person reads of a message. */
const words = sql<string>`coalesce(content->'body'->>'text', content->>'body', content->>'caption', '')`;

export function listMessages(own: Own, ask: Ask, filter: MessageFilter, page: Page): Promise<PageRows<MessageRow>> {
  const { channelId, conversationId, contactId, status, direction, type, since, until, search, isScheduled } = filter;
  let messages = own.select(Message).select(columns);
  if (channelId) messages = messages.where('channel_id', '=', channelId);
  if (conversationId) messages = messages.where('conversation_id', '=', conversationId);
  if (contactId) messages = messages.where('contact_id', '=', contactId);
  if (isScheduled) messages = messages.where('is_scheduled', '=', true);
  if (status) messages = messages.where('status', '=', status);
  if (direction) messages = messages.where('direction', '=', direction);
  if (type) messages = messages.where('type', '=', type);
  if (since) messages = messages.where('created_at', '>=', since);
  if (until) messages = messages.where('created_at', '<', until);
  for (const word of wordsOf(search ?? '')) messages = messages.where(sql<SqlBool>`strpos(fold(${words}), fold(${word})) > 0`);
  const { sql: text, parameters } = messages.compile();
  return pageAskedFor<MessageRow>(ask, text, [...parameters], page);
}

const wordsOf = (search: string) => [...new Set(search.split(/\s+/).filter(Boolean))];
