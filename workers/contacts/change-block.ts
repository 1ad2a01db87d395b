import { stopChannel } from '../../src/channels/connect.ts';
import { openBlock, settleBlock, settleLocks } from '../../src/contacts/blocking/block-outcome.ts';
import { type BlockPayload, type BlockWish, blockWishes } from '../../src/contacts/blocking/jobs.ts';
import { ProviderRefused } from '../../src/providers/errors.ts';
import type { Outcome, RunContext } from '../handler.ts';

/**
 * The provider is asked for the latest change only: a change that another one has overtaken does nothing. The request does no harm when it
 * is sent twice, so it is sent again when the answer was lost.
 */
export async function changeBlock(context: RunContext<unknown>, change: BlockPayload, wish: BlockWish): Promise<Outcome> {
  const { own, ledger, providers } = context;
  const look = () => openBlock(own, { ...change, doing: blockWishes[wish].doing });
  const [block] = await look();
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
      await stopChannel(ledger.transact, own.organizationId, channel, error.stopsChannel);
    }
    throw error;
  }
  await ledger.transact({ look, locks: settleLocks }, (tx, seen) => settleBlock(tx.of(own.organizationId), change, wish, seen));
  return context.finish();
}
