import { Channel } from '../channels/channel.entity.ts';
import type { Own } from '../platform/database/own.ts';
import { statement } from '../platform/database/statement.ts';
import { AppError, notFound } from '../platform/errors.ts';
import { Job } from '../platform/ledger/jobs.entity.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';
import { markReadJob, readLane, showTypingJob } from './jobs.ts';
import { Message } from './message.entity.ts';

/** A received message and what its provider is asked with. */
export const receivedMessage = statement((select, { id }: { id: string }) =>
  select(Message, Channel)
    .innerJoin('channels', 'channels.id', 'messages.channel_id')
    .select(['messages.direction', 'messages.provider_message_id', 'messages.channel_id'])
    .select(['channels.status as channel_status', 'channels.deleted_at as channel_deleted_at'])
    .select(['channels.phone_number_id', 'channels.account_id', 'channels.access_token'])
    .where('messages.id', '=', id),
);

/** Throws for what no provider can be told of. */
export async function assertReceived(own: Own, id: string): Promise<void> {
  const [message] = await receivedMessage(own, { id });
  if (!message) throw notFound('Message');
  if (message.direction !== 'inbound') throw new AppError('conflict', 'Only a received message can be marked as read');
  if (!message.provider_message_id) throw new AppError('conflict', 'The contact of this message was deleted');
  if (message.channel_deleted_at) throw new AppError('conflict', 'The channel of this message was deleted');
  if (message.channel_status !== 'connected')
    throw new AppError('conflict', `The channel cannot reach the provider: it is ${message.channel_status}`);
}

const liveJob = statement((select, { id, name }: { id: string; name: string }) =>
  select(Job)
    .select('id')
    .where('subject_id', '=', id)
    .where('name', '=', name)
    .where('state', 'in', ['blocked', 'waiting', 'queued']),
);

/** The operation's id: the one under way, however often it is asked for. */
export async function requestRead(tx: OwnTx, id: string, isTyping: boolean): Promise<string> {
  tx.assertLocked(readLane(id));
  const contract = isTyping ? showTypingJob : markReadJob;
  const [live] = await liveJob(tx, { id, name: contract.name });
  return live?.id ?? tx.enqueue(contract, { message_id: id }, { lane: readLane(id) });
}
