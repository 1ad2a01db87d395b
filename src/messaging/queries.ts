import type { Own } from '../platform/database/own.ts';
import { statement } from '../platform/database/statement.ts';
import type { RowOf } from '../platform/database/tables.ts';
import { Message } from './message.entity.ts';

const columns = [
  'id',
  'channel_id',
  'conversation_id',
  'contact_id',
  'direction',
  'type',
  'status',
  'from_phone',
  'to_phone',
  'content',
  'context_id',
  'context_message_id',
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
