import { channelAccount } from '../../src/channels/account.ts';
import { askHealth, recordCheck, recordUnreadable } from '../../src/channels/check.ts';
import { checkChannelJob, watchChannelJob } from '../../src/channels/jobs.ts';
import { CannotOpen } from '../../src/platform/secrets.ts';
import { handle, type Outcome, type RunContext } from '../handler.ts';
import { asChannel } from './as-channel.ts';

/** Reads only, so it may run twice. A refused token fails it, after the channel is held. */
async function check(context: RunContext<unknown>, id: string): Promise<Outcome> {
  const { own, transact, providers, secrets } = context;
  const account = await channelAccount(own, id, secrets).catch((error) => {
    if (!(error instanceof CannotOpen)) throw error;
    return 'unreadable' as const;
  });
  if (account === 'unreadable') {
    await recordUnreadable(transact, id);
    return context.finish();
  }
  if (!account) return context.finish();
  const told = await asChannel(context, account, () => askHealth(providers.messagingApp, account));
  await recordCheck(own, transact, account, told);
  return context.finish();
}

export const checkChannel = handle(checkChannelJob, ({ channel_id }, context) => check(context, channel_id));
export const watchChannel = handle(watchChannelJob, ({ channel_id }, context) => check(context, channel_id));
