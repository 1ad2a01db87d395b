import type { Own } from '../platform/database/own.ts';
import type { RowOf } from '../platform/database/tables.ts';
import type { Message } from './message.entity.ts';

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
  'campaign_id',
  'send_at',
  'provider_at',
  'created_at',
  'updated_at',
] as const;
export type MessageRow = RowOf<typeof Message, (typeof columns)[number]>;

/** For SQL text over a table or CTE called `m`. */
export const messageColumns = columns.map((column) => `m.${column}`).join(', ');

/** Stored with the message if the one it answers was known by then. That one may have come later, or got its provider's id later. */
const answered = `
  case when m.context_message_id is null and m.context_id is not null
    then (select x.id
            from messages x
           where x.organization_id = m.organization_id and x.channel_id = m.channel_id and x.provider_message_id = m.context_id)
    else m.context_message_id end as context_message_id`;

/** As messages are read. */
export const shownColumns = columns.map((column) => (column === 'context_message_id' ? answered : `m.${column}`)).join(', ');

export async function findMessage(own: Own, id: string): Promise<MessageRow | undefined> {
  // SQL: finds what the message answers, where that was not known when it was stored.
  const [row] = await own.sql<MessageRow>(
    `select ${shownColumns}
       from messages m
      where m.organization_id = $1 and m.id = $2`,
    [id],
  );
  return row;
}
