import { channelAccount } from '../../src/channels/account.ts';
import { syncTemplatesJob } from '../../src/templates/jobs.ts';
import { storeTemplates } from '../../src/templates/templates.ts';
import { asChannel } from '../channels/as-channel.ts';
import { handle } from '../handler.ts';

export const syncTemplates = handle(syncTemplatesJob, async ({ channel_id }, context) => {
  const account = await channelAccount(context.own, channel_id, context.secrets);
  if (!account) return context.finish();
  const templates = await asChannel(context, account, () => context.providers.messagingApp.listTemplates(account));
  await storeTemplates(context.own, context.transact, account.id, templates);
  return context.finish();
});
