import { type ChannelAccount, channelAccount } from '../../src/channels/account.ts';
import { stopChannel } from '../../src/channels/change.ts';
import type { TenantTx } from '../../src/platform/ledger/tx.ts';
import { ProviderRefused } from '../../src/providers/errors.ts';
import type { MessagingApp } from '../../src/providers/messaging-app/provider.ts';
import { Template } from '../../src/templates/template.entity.ts';
import type { Outcome, RunContext } from '../handler.ts';

type Refused = (tx: TenantTx, error: ProviderRefused) => Promise<void>;

/** Without its channel, which was deleted, the template goes too. A refusal that is about the channel stops it. `refused`: what a refusal of the template itself writes. */
export async function atProvider(
  context: RunContext<unknown>,
  { id, channel_id: channelId }: { id: string; channel_id: string },
  work: (app: MessagingApp, account: ChannelAccount) => Promise<Outcome>,
  refused: Refused = async () => {},
): Promise<Outcome> {
  const account = await channelAccount(context.own, channelId, context.secrets);
  if (!account)
    return context.finish(async ({ own }) => {
      await own.delete(Template, { id });
    });
  try {
    return await work(context.providers.messagingApp, account);
  } catch (error) {
    if (!(error instanceof ProviderRefused)) throw error;
    if (error.stopsChannel) {
      await stopChannel(context.transact, { id: channelId, sealedToken: account.sealedToken }, error.stopsChannel);
      throw error;
    }
    const reason = { code: 'provider_refused', message: error.message, provider_code: error.providerCode };
    return context.fail(reason, { work: (tx) => refused(tx, error) });
  }
}
