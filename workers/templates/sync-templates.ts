import { channelAccount } from '../../src/channels/account.ts';
import { syncTemplatesJob } from '../../src/templates/jobs.ts';
import { asChannel } from '../channels/as-channel.ts';
import { handle } from '../handler.ts';
import { storeListed } from './store-listed.ts';

export const syncTemplates = handle(syncTemplatesJob, async ({ channel_id }, context) => {
  const account = await channelAccount(context.own, channel_id, context.secrets);
  if (!account) return context.finish();
  const list = () => context.providers.messagingApp.listTemplates(account);
  await storeListed(context, account.id, () => asChannel(context, account, list));
  return context.finish();
});
