import { type ChannelAccount, channelAccount } from '../../src/channels/account.ts';
import { stopChannel } from '../../src/channels/change.ts';
import type { TenantTx } from '../../src/platform/ledger/tx.ts';
import { ProviderRefused } from '../../src/providers/errors.ts';
import type { MessagingApp, ProviderTemplate } from '../../src/providers/messaging-app/provider.ts';
import { Template } from '../../src/templates/template.entity.ts';
import type { Outcome, RunContext } from '../handler.ts';

type Subject = { id: string; channel_id: string; name: string; language: string };

type Work = {
  /** An earlier try may have done it: the provider is asked what it has. Refused, this says nothing about that try. */
  isRepeat?: boolean;
  /** `found`: on a repeat, what the provider has by now. */
  work(app: MessagingApp, account: ChannelAccount, found: ProviderTemplate | undefined): Promise<Outcome>;
  /** What a refusal of the work itself writes. */
  refused?(tx: TenantTx, error: ProviderRefused): Promise<void>;
};

/** Without its channel, which was deleted, the template goes too. A refusal that is about the channel stops it. */
export async function atProvider(
  context: RunContext<unknown>,
  { id, channel_id: channelId, name, language }: Subject,
  { isRepeat = false, work, refused }: Work,
): Promise<Outcome> {
  const account = await channelAccount(context.own, channelId, context.secrets);
  if (!account)
    return context.finish(async ({ own }) => {
      await own.delete(Template, { id });
    });
  const app = context.providers.messagingApp;
  let isLooking = isRepeat;
  try {
    const found = isRepeat ? await context.outside(() => app.findTemplate(account, { name, language })) : undefined;
    isLooking = false;
    return await work(app, account, found);
  } catch (error) {
    if (!(error instanceof ProviderRefused)) throw error;
    if (error.stopsChannel)
      await stopChannel(context.transact, { id: channelId, sealedToken: account.sealedToken }, error.stopsChannel);
    const reason = { code: 'provider_refused', message: error.message, provider_code: error.providerCode };
    return context.fail(reason, { work: async (tx) => (isLooking ? undefined : refused?.(tx, error)) });
  }
}
