import { type ChannelRow, readChannel } from '../../src/channels/queries.ts';
import type { Own } from '../../src/platform/database/own.ts';
import { AppError } from '../../src/platform/errors.ts';

/** Throws 404, and 409 for one on which the provider cannot be asked. */
export async function reachableChannel(own: Own, channelId: string): Promise<ChannelRow> {
  const channel = await readChannel(own, channelId);
  if (channel.status !== 'connected')
    throw new AppError('conflict', `The channel cannot reach the provider: it is ${channel.status}`);
  return channel;
}
