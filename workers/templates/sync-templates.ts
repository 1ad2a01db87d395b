import { channelAccount } from '../../src/channels/account.ts';
import { query } from '../../src/platform/database/query.ts';
import { syncTemplatesJob } from '../../src/templates/jobs.ts';
import { storeTemplates } from '../../src/templates/sync.ts';
import { handle } from '../handler.ts';

export const syncTemplates = handle(syncTemplatesJob, async ({ channel_id }, context) => {
  const account = await channelAccount(context.own, channel_id, context.secrets);
  if (!account) return context.finish();
  // SQL: the database's clock.
  const [time] = await query<{ at: string }>(context.database, 'select clock_timestamp()::text as at');
  const templates = await context.outside(() => context.providers.messagingApp.listTemplates(account));
  await storeTemplates(context.own, context.transact, account.id, templates, time!.at);
  return context.finish();
});
