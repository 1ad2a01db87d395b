import { openBlock, settleBlock, settleLocks } from '../../src/contacts/blocking/block-outcome.ts';
import { type BlockPayload, type BlockWish, blockWishes } from '../../src/contacts/blocking/jobs.ts';
import { asChannel, channelDeleted } from '../channels/as-channel.ts';
import type { Outcome, RunContext } from '../handler.ts';

/** Only the latest change calls the provider. The call is idempotent, so a lost answer means another call. */
export async function changeBlock(context: RunContext<unknown>, change: BlockPayload, wish: BlockWish): Promise<Outcome> {
  const { own, transact, providers } = context;
  const look = () => openBlock(own, { ...change, doing: blockWishes[wish].doing });
  const [block] = await look();
  if (!block) return context.finish();
  if (block.deleted_at) return context.fail(channelDeleted);
  const account = {
    phoneNumberId: block.phone_number_id,
    accountId: block.account_id,
    accessToken: context.secrets.open(block.access_token),
  };
  const who = { phone: block.phone || undefined, userId: block.user_id || undefined };
  await asChannel(context, { id: block.channel_id, sealedToken: block.access_token }, () =>
    wish === 'block' ? providers.messagingApp.blockUser(account, who) : providers.messagingApp.unblockUser(account, who),
  );
  await transact({ look, locks: settleLocks }, (tx, seen) => settleBlock(tx.own, change, wish, seen));
  return context.finish();
}
