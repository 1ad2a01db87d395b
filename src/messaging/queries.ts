import { type Em, query } from '../database.ts';
import type { Direction, Failure, MessageStatus } from './message.entity.ts';

export type MessageRow = {
  id: string;
  channel_id: string;
  conversation_id: string;
  contact_id: string;
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

export async function findMessage(em: Em, organizationId: string, id: string): Promise<MessageRow | undefined> {
  const [row] = await query<MessageRow>(
    em,
    `select ${messageColumns} from messages m where m.organization_id = $1 and m.id = $2`,
    [organizationId, id],
  );
  return row;
}

export type MessageFilter = { channelId?: string; conversationId?: string; contactId?: string; status?: string };
type Keyset = { limit: number; after?: [createdAt: string, id: string] };

/** Newest first; one row more than asked tells whether there are more. */
export async function listMessages(
  em: Em,
  organizationId: string,
  filter: MessageFilter,
  { limit, after }: Keyset,
): Promise<MessageRow[]> {
  const { text, params } = conditions(organizationId, filter);
  if (after) params.push(...after);
  const beyond = after ? `and (m.created_at, m.id) < ($${params.length - 1}::timestamptz, $${params.length}::uuid)` : '';
  params.push(limit + 1);
  return query<MessageRow>(
    em,
    `select ${messageColumns} from messages m where ${text} ${beyond} order by m.created_at desc, m.id desc limit $${params.length}`,
    params,
  );
}

export async function countMessages(em: Em, organizationId: string, filter: MessageFilter): Promise<number> {
  const { text, params } = conditions(organizationId, filter);
  const [row] = await query<{ total: number }>(em, `select count(*)::int as total from messages m where ${text}`, params);
  return row?.total ?? 0;
}

function conditions(organizationId: string, { channelId, conversationId, contactId, status }: MessageFilter) {
  const wanted: [string, unknown][] = [
    ['organization_id', organizationId],
    ['channel_id', channelId],
    ['conversation_id', conversationId],
    ['contact_id', contactId],
    ['status', status],
  ];
  const given = wanted.filter(([, value]) => value !== undefined);
  return {
    text: given.map(([column], index) => `m.${column} = $${index + 1}`).join(' and '),
    params: given.map(([, value]) => value),
  };
}
