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

/** What only the database knows of a message that was just accepted. */
export type AcceptedRow = Pick<MessageRow, 'id' | 'contact_id' | 'send_at' | 'created_at' | 'updated_at'>;
/** For SQL text over a new row called `m`: given as JSON, a whole row costs a tenth of an accept (bench: post). */
export const acceptedColumns = 'm.id, m.contact_id, m.send_at, m.created_at, m.updated_at';

type Known = Pick<
  MessageRow,
  'channel_id' | 'conversation_id' | 'type' | 'to_phone' | 'content' | 'context_id' | 'context_message_id'
>;

/** The row of a message that was just accepted, without asking for what is known. */
export const acceptedRow = (accepted: AcceptedRow, known: Known): MessageRow => ({
  ...accepted,
  ...known,
  direction: 'outbound',
  status: 'queued',
  from_phone: '',
  provider_message_id: null,
  failure: null,
  campaign_id: null,
  provider_at: null,
});

type RunsOwn = Own['sql'];

/** SQL: sets; each row by its own index. */
const answeredStatement = `
  select t.ord::int as ord, x.id
    from unnest($2::uuid[], $3::text[]) with ordinality as t(channel_id, provider_message_id, ord),
         lateral (
           select m.id
             from messages m
            where m.organization_id = $1 and m.channel_id = t.channel_id and m.provider_message_id = t.provider_message_id
            limit 1) x`;

/**
 * With what each answers. It is stored with the message if it was known by then; it may have come later, or got its provider's id later. That
 * is asked for by itself, as few need it: within the statement each read would begin and end a look at the index.
 */
export async function withAnswered(sql: RunsOwn, rows: MessageRow[]): Promise<MessageRow[]> {
  const open = rows.filter((row) => row.context_id !== null && row.context_message_id === null);
  if (open.length === 0) return rows;
  const found = await sql<{ ord: number; id: string }>(answeredStatement, [
    open.map((row) => row.channel_id),
    open.map((row) => row.context_id),
  ]);
  for (const { ord, id } of found) open[ord - 1]!.context_message_id = id;
  return rows;
}

/** SQL: hot (bench: get). */
const findStatement = `
  select ${messageColumns}
    from messages m
   where m.organization_id = $1 and m.id = $2`;

export async function findMessage(own: Own, id: string): Promise<MessageRow | undefined> {
  const rows = await own.sql<MessageRow>(findStatement, [id]);
  if (rows.length > 0) await withAnswered((text, params) => own.sql(text, params), rows);
  return rows[0];
}
