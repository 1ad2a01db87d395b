import { stopChannel } from '../../src/channels/change.ts';
import { openBlock, settleBlock } from '../../src/contacts/blocking/block-outcome.ts';
import type { BlockPayload, BlockWish } from '../../src/contacts/jobs.ts';
import { ProviderRefused } from '../../src/providers/errors.ts';
import type { Outcome, RunContext } from '../handler.ts';

/**
 * What was asked last is what the provider is asked for: a change that another one has overtaken does nothing. Twice does no harm, so an
 * answer that was lost is asked for again.
 */
export async function changeBlock(context: RunContext<unknown>, change: BlockPayload, wish: BlockWish): Promise<Outcome> {
  const { em, ledger, providers, row } = context;
  const block = await openBlock(em, change, wish);
  if (!block) return context.finish();
  const account = {
    phoneNumberId: block.phone_number_id,
    accountId: block.account_id,
    accessToken: context.secrets.open(block.access_token),
  };
  const who = { phone: block.phone || undefined, userId: block.user_id || undefined };
  try {
    await context.outside(() =>
      wish === 'block' ? providers.messagingApp.blockUser(account, who) : providers.messagingApp.unblockUser(account, who),
    );
  } catch (error) {
    if (error instanceof ProviderRefused && error.stopsChannel) {
      const channel = { id: block.channel_id, sealedToken: block.access_token };
      await stopChannel(context.transact, channel, error.stopsChannel);
    }
    throw error;
  }
  for (let open: typeof block | undefined = block; open; open = await openBlock(em, change, wish))
    if (await settleBlock(ledger.transact, row.organization_id, change, open.contact_id, wish)) break;
  return context.finish();
}
