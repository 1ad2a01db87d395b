import { type SqlBool, sql } from 'kysely';
import { Channel } from '../../channels/channel.entity.ts';
import { now } from '../../platform/database/columns.ts';
import type { Own } from '../../platform/database/own.ts';
import { statement } from '../../platform/database/statement.ts';
import { AppError, notFound } from '../../platform/errors.ts';
import { isUuid, uuidv7 } from '../../platform/ids.ts';
import { Job } from '../../platform/ledger/jobs.entity.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import { type BlockStatus, ContactBlock } from './block.entity.ts';
import { type BlockWish, blockLane, blockWishes } from './jobs.ts';

const channelStatus = statement((select, { id }: { id: string }) =>
  select(Channel).select('status').where('id', '=', id).where('deleted_at', 'is', null),
);

export async function assertConnected(own: Own, channelId: string): Promise<void> {
  const [channel] = isUuid(channelId) ? await channelStatus(own, { id: channelId }) : [];
  if (!channel) throw notFound('Channel');
  if (channel.status !== 'connected')
    throw new AppError('conflict', `The channel cannot reach the provider: it is ${channel.status}`);
}

const blockForUpdate = statement((select, { id }: { id: string }) =>
  select(ContactBlock).select(['status', 'change_id']).where('id', '=', id).forUpdate(),
);

type Change = { blockId: string; name: string; changeId: string | null };
const liveJob = statement((select, { blockId, name, changeId }: Change) =>
  select(Job)
    .select('id')
    .where('subject_id', '=', blockId)
    .where('name', '=', name)
    .where('state', 'in', ['blocked', 'waiting', 'queued'])
    .where(sql<SqlBool>`payload->>'change_id' = ${changeId}`),
);

export type Asked = { status: 'pending' | 'blocked' | 'unblocked'; operationId?: string };

/** Enqueues the change unless it is done or in progress. Throws 404 when the contact was erased meanwhile. */
export async function requestChange(tx: OwnTx, blockId: string, wish: BlockWish): Promise<Asked> {
  tx.assertLocked(blockLane(blockId));
  const { job, doing, done } = blockWishes[wish];
  const [block] = await blockForUpdate(tx, { id: blockId });
  if (!block) throw notFound('Contact');
  // Without an earlier request we only guess that the provider does not block the contact.
  if (block.status === done && block.change_id !== null) return { status: done };
  if (block.status === doing) {
    const [live] = await liveJob(tx, { blockId, name: job.name, changeId: block.change_id });
    if (live) return { status: 'pending', operationId: live.id };
  }
  const changeId = uuidv7();
  await tx.update(ContactBlock, { id: blockId }, { status: doing, change_id: changeId, failure: null, updated_at: now() });
  const payload = { block_id: blockId, change_id: changeId };
  return { status: 'pending', operationId: tx.enqueue(job, payload, { lane: blockLane(blockId) }) };
}

const statusOfOperation = statement((select, { operationId }: { operationId: string }) =>
  select(Job, ContactBlock)
    .innerJoin('contact_blocks', 'contact_blocks.id', 'jobs.subject_id')
    .select('contact_blocks.status')
    .where('jobs.id', '=', operationId),
);

export async function blockStatusOf(own: Own, operationId: string): Promise<BlockStatus | undefined> {
  const [block] = await statusOfOperation(own, { operationId });
  return block?.status;
}
