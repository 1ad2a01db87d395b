import type { Own } from '../platform/database/own.ts';
import type { RowOf } from '../platform/database/tables.ts';
import { uuidv7 } from '../platform/ids.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';
import type { Conversation } from './conversation.entity.ts';

/** Another transaction stored the group first: read again. */
export const groupTaken = 'conversations_group';

/** SQL: found by its unique index, whose condition it names. */
export async function findGroup(own: Own, channelId: string, groupId: string): Promise<string | undefined> {
  const [found] = await own.sql<RowOf<typeof Conversation, 'id'>>(
    `select id
       from conversations
      where organization_id = $1 and channel_id = $2 and group_id = $3 and group_id <> ''`,
    [channelId, groupId],
  );
  return found?.id;
}

/** The conversation of a group on a channel. Run with `retryOn: [groupTaken]`. */
export async function resolveGroup(tx: OwnTx, channelId: string, groupId: string): Promise<string> {
  const found = await findGroup(tx, channelId, groupId);
  if (found) return found;
  const id = uuidv7();
  // SQL: a row without a contact.
  await tx.sql(
    `insert into conversations (id, organization_id, channel_id, contact_id, group_id, status)
     values ($2, $1, $3, null, $4, 'open')`,
    [id, channelId, groupId],
  );
  return id;
}
