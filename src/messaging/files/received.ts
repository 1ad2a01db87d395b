import { Channel } from '../../channels/channel.entity.ts';
import { publicIdOf } from '../../media/asset-id.ts';
import { type AssetRow, findAsset } from '../../media/find.ts';
import { mediaKinds } from '../../media/kinds.ts';
import { statement } from '../../platform/database/statement.ts';
import { conversationLane } from '../../platform/ledger/locks.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import { now } from '../../platform/time/clock.ts';
import { momentMs } from '../../platform/time/moment.ts';
import { Message } from '../message.entity.ts';
import { emitUpdated } from '../updated.ts';
import { MediaFetch } from './file.entity.ts';

/** In the content of a received message, beside what the provider says of its file. */
export type FileState =
  | { status: 'pending' }
  | { status: 'stored'; mime_type: string; bytes: number }
  /** `gone`: the provider does not have it any more; `failed`: no try passed, and a retry of the job may. */
  | { status: 'gone' | 'too_large' | 'failed' };
type Content = Record<string, unknown>;

const kinds = new Set<string>(mediaKinds);
/** It becomes part of the path that is asked for. */
const plainId = /^[\w-]{1,128}$/;

/** What is fetched of a message, by the provider's id. */
export function fileIdIn(type: string, content: Content): string | undefined {
  if (!kinds.has(type)) return undefined;
  const id = typeof content.id === 'number' ? String(content.id) : content.id;
  return typeof id === 'string' && plainId.test(id) ? id : undefined;
}

/** Longer than the provider keeps a file. */
const keptForMs = 31 * 86_400_000;

/** Whether the provider may have the message's file. */
export const isKeptStill = ({ created_at }: { created_at: string }) => now() - momentMs(created_at) <= keptForMs;

export const stateOf = ({ media }: Content) => media as FileState | undefined;

/** A message and what its provider is asked with. */
export const receivedFile = statement((select, { id }: { id: string }) =>
  select(Message, Channel)
    .innerJoin('channels', 'channels.id', 'messages.channel_id')
    .select(['messages.id', 'messages.type', 'messages.content', 'messages.conversation_id', 'messages.contact_id'])
    .select('messages.created_at')
    .select(['messages.channel_id', 'channels.status as channel_status', 'channels.deleted_at', 'channels.phone_number_id'])
    .select(['channels.account_id', 'channels.access_token'])
    .where('messages.id', '=', id),
);
export type ReceivedFile = Awaited<ReturnType<typeof receivedFile>>[number];

export const messageWithFile = statement((select, { id }: { id: string }) =>
  select(Message).select(['id', 'channel_id', 'conversation_id', 'contact_id', 'content']).where('id', '=', id),
);

export async function lockConversationOf(tx: OwnTx, id: string): Promise<boolean> {
  const [message] = await messageWithFile(tx, { id });
  if (message) await tx.lockFound('conversation', message.conversation_id);
  return message !== undefined;
}

export async function endFetch(tx: OwnTx, messageId: string): Promise<void> {
  await tx.delete(MediaFetch, { message_id: messageId });
}

/** Says on the message what became of its file. Needs the conversation's lock; does nothing for one that does not wait for it any more. */
export async function settleFile(
  tx: OwnTx,
  id: string,
  outcome: { asset: AssetRow } | { status: 'gone' | 'too_large' | 'failed' },
) {
  const [message] = await messageWithFile(tx, { id });
  if (!message) return;
  tx.assertLocked(conversationLane(message.conversation_id));
  await endFetch(tx, id);
  if (stateOf(message.content)?.status !== 'pending') return;
  // An erasure or a deletion may have removed the file meanwhile.
  const asset = 'asset' in outcome && message.contact_id !== null ? await findAsset(tx, outcome.asset.id) : undefined;
  const change = asset ? stored(asset) : { media: { status: 'status' in outcome ? outcome.status : 'gone' } };
  // SQL: adds to the content.
  await tx.sql(
    `update messages
        set content = content || $3::jsonb, updated_at = clock_timestamp()
      where organization_id = $1 and id = $2`,
    [id, JSON.stringify(change)],
  );
  emitUpdated(tx, message, asset ? 'media_stored' : 'media_failed');
}

const stored = ({ storage_key, mime_type, size_bytes }: AssetRow) => ({
  asset_id: publicIdOf(storage_key),
  media: { status: 'stored', mime_type, bytes: Number(size_bytes) } satisfies FileState,
});

/** Once more, after it was given up. False: it is not known as that. */
export async function fetchAgain(tx: OwnTx, id: string, status: 'failed' | 'gone' = 'failed'): Promise<boolean> {
  // SQL: a condition within the content.
  const rows = await tx.sql(
    `update messages
        set content = content || '{"media": {"status": "pending"}}', updated_at = clock_timestamp()
      where organization_id = $1 and id = $2 and content->'media'->>'status' = $3
     returning id`,
    [id, status],
  );
  if (rows.length === 0) return false;
  await tx.insert(MediaFetch, { message_id: id });
  return true;
}
