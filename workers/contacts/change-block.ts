import { stopChannel } from '../../src/channels/change.ts';
import { openBlock, settleBlock, settleLocks } from '../../src/contacts/blocking/block-outcome.ts';
import { type BlockPayload, type BlockWish, blockWishes } from '../../src/contacts/blocking/jobs.ts';
import { ProviderRefused } from '../../src/providers/errors.ts';
import type { Outcome, RunContext } from '../handler.ts';

/** Only the latest change calls the provider. The call is idempotent, so a lost answer means another call. */
export async function changeBlock(context: RunContext<unknown>, change: BlockPayload, wish: BlockWish): Promise<Outcome> {
  const { own, transact, providers } = context;
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
      await stopChannel(transact, channel, error.stopsChannel);
    }
    throw error;
  }
  await transact({ look, locks: settleLocks }, (tx, seen) => settleBlock(tx.own, change, wish, seen));
  return context.finish();
}
