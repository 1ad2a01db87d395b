import { type Em, query, type Source } from '../database.ts';
import { beyond, tables } from '../tables.ts';
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

export async function findMessage(source: Source, organizationId: string, id: string): Promise<MessageRow | undefined> {
  const [row] = await query<MessageRow>(
    source,
    `select ${messageColumns} from messages m where m.organization_id = $1 and m.id = $2`,
    [organizationId, id],
  );
  return row;
}

export type MessageFilter = { channelId?: string; conversationId?: string; contactId?: string; status?: MessageStatus };
type Keyset = { limit: number; after?: [createdAt: string, id: string] };

/** Newest first; one row more than asked tells whether there are more. */
export async function listMessages(
  em: Em,
  organizationId: string,
  filter: MessageFilter,
  { limit, after }: Keyset,
): Promise<MessageRow[]> {
  return matching(em, organizationId, filter)
    .select(columns)
    .$if(after !== undefined, (messages) => messages.where(beyond(after!)))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .$castTo<MessageRow>()
    .execute();
}

export async function countMessages(em: Em, organizationId: string, filter: MessageFilter): Promise<number> {
  const row = await matching(em, organizationId, filter)
    .select((messages) => messages.fn.countAll().as('total'))
    .executeTakeFirst();
  return Number(row?.total ?? 0);
}

function matching(em: Em, organizationId: string, { channelId, conversationId, contactId, status }: MessageFilter) {
  return tables(em)
    .selectFrom('messages')
    .where('organization_id', '=', organizationId)
    .$if(channelId !== undefined, (messages) => messages.where('channel_id', '=', channelId!))
    .$if(conversationId !== undefined, (messages) => messages.where('conversation_id', '=', conversationId!))
    .$if(contactId !== undefined, (messages) => messages.where('contact_id', '=', contactId!))
    .$if(status !== undefined, (messages) => messages.where('status', '=', status!));
}
