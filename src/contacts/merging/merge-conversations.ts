import { AppError } from '../../platform/errors.ts';
import { conversationUpdated } from '../../platform/events/catalogue.ts';
import { conversationLane } from '../../platform/ledger/locks.ts';
import { stateIs } from '../../platform/ledger/states.ts';
import type { Tx } from '../../platform/ledger/tx.ts';

export type ConversationOfTwo = { id: string; contact_id: string; channel_id: string };
type Pair = { from: string; into: string };

/**
 * Of two conversations on one channel the one of the contact that goes becomes part of the other; one alone only changes hands. The lanes
 * of all of them are held. Returns those that are no more. Throws 409 while a message of one that would go may be with the provider.
 */
export async function mergeConversations(
  tx: Tx,
  organizationId: string,
  survivor: string,
  conversations: ConversationOfTwo[],
): Promise<string[]> {
  const gone: string[] = [];
  const staying = new Map(
    conversations.filter(({ contact_id }) => contact_id === survivor).map(({ channel_id, id }) => [channel_id, id]),
  );
  for (const { id, contact_id, channel_id } of conversations) {
    if (contact_id === survivor) continue;
    const into = staying.get(channel_id);
    if (into) {
      await unite(tx, organizationId, survivor, { from: id, into });
      gone.push(id);
    }
    await tell(tx, organizationId, into ?? id);
  }
  return gone;
}

async function unite(tx: Tx, organizationId: string, survivor: string, pair: Pair) {
  await moveLane(tx, organizationId, pair);
  await tx.query(
    'update messages set conversation_id = $3, contact_id = $4 where organization_id = $1 and conversation_id = $2',
    [organizationId, pair.from, pair.into, survivor],
  );
  const params = [organizationId, pair.from, pair.into];
  await tx.query(takeOver, params);
  await tx.query('delete from conversations where organization_id = $1 and id = $2', params.slice(0, 2));
}

const isNewer = 'coalesce(o.last_message_at, o.created_at) > coalesce(s.last_message_at, s.created_at)';
/** What a person's own messages tell of him is as old as the last of them, whatever was written to him since. */
const isHeardLater = `coalesce(o.last_inbound_at, '-infinity') > coalesce(s.last_inbound_at, '-infinity')`;
const better = (column: string, isOther: string) =>
  `${column} = case when ${isOther} then coalesce(nullif(o.${column}, ''), s.${column}) else coalesce(nullif(s.${column}, ''), o.${column}) end`;
const profile = ['profile_name', 'profile_username', 'profile_phone', 'profile_user_id'];

/** What is known of a conversation, from whichever of the two has it more recently. */
const takeOver = `update conversations s set last_inbound_at = greatest(s.last_inbound_at, o.last_inbound_at), last_message_at = greatest(s.last_message_at, o.last_message_at),
    status = case when s.status = 'resolved' then o.status else s.status end, created_at = least(s.created_at, o.created_at), updated_at = clock_timestamp(),
    ${better('preview', isNewer)}, ${profile.map((column) => better(column, isHeardLater)).join(', ')}
  from conversations o where s.organization_id = $1 and s.id = $3 and o.organization_id = $1 and o.id = $2`;

/**
 * Jobs that nobody works on go to the other lane, in the order of both. Their rows are held first: no fill can hand one to the queue
 * meanwhile. A row that is handed already, or whose send has no answer yet, is at work under the lane it has.
 */
async function moveLane(tx: Tx, organizationId: string, { from, into }: Pair) {
  const [before, after] = [conversationLane(from), conversationLane(into)];
  const rows = await tx.query<{ id: string; state: string; subject_id: string }>(
    `select id, state, subject_id from jobs where lane = $1 and state in ('blocked', 'waiting', 'queued') order by seq for update`,
    [before],
  );
  const sending = await tx.query(
    `select 1 from messages where organization_id = $1 and id = any($2::uuid[]) and status = 'sending'`,
    [organizationId, rows.map(({ subject_id }) => subject_id)],
  );
  if (sending.length > 0 || rows.some(({ state }) => state === 'queued'))
    throw new AppError('conflict', 'A message is being sent; try again', { retryAfterSeconds: 1 });
  await tx.query(
    `update jobs set lane = $2, state = case when exists (select 1 from jobs h where h.lane = $2 and h.state in ('waiting', 'queued')) then 'blocked' else state end
      where lane = $1 and state in ('blocked', 'waiting')`,
    [before, after],
  );
  // A failed one can be retried, in the lane its message is in then.
  await tx.query(
    `update jobs set lane = $3 where lane = $2 and ${stateIs('state', 'failed')} and subject_id = any(array(
       select id from messages where organization_id = $1 and conversation_id = $4 and status = 'failed'))`,
    [organizationId, before, after, from],
  );
}

async function tell(tx: Tx, organizationId: string, id: string) {
  const [row] = await tx.query<{ status: string }>('select status from conversations where organization_id = $1 and id = $2', [
    organizationId,
    id,
  ]);
  tx.emit(conversationUpdated, { conversation_id: id, status: row!.status }, { organizationId });
}
