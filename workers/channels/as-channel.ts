import { stopChannel } from '../../src/channels/change.ts';
import { ProviderRefused } from '../../src/providers/errors.ts';
import type { RunContext } from '../handler.ts';

type Of = { id: string; sealedToken: string };

/** A call with a channel's token. Where the provider refuses the whole channel, its messages are held at once; the error is thrown on. */
export async function asChannel<Answer>(
  { outside, transact }: Pick<RunContext<unknown>, 'outside' | 'transact'>,
  channel: Of,
  call: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return await outside(call);
  } catch (error) {
    if (error instanceof ProviderRefused && error.stopsChannel) await stopChannel(transact, channel, error.stopsChannel);
    throw error;
  }
}

export const channelDeleted = { code: 'channel_deleted', message: 'The channel was deleted' };
/** Of a message. */
export const channelDeletedBefore = { ...channelDeleted, message: 'The channel was deleted before the message went out' };
