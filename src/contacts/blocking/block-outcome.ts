import { raw } from '@mikro-orm/core';
import { Channel } from '../../channels/channel.entity.ts';
import { now } from '../../platform/database/columns.ts';
import { statement } from '../../platform/database/statement.ts';
import { LocksOutdated } from '../../platform/ledger/locks.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import { contactTx } from '../contact-tx.ts';
import { contactLock } from '../events.ts';
import { ContactBlock } from './block.entity.ts';
import { type BlockPayload, type BlockWish, blockWishes } from './jobs.ts';

export const openBlock = statement((select, change: BlockPayload & { doing: 'pending' | 'unblocking' }) =>
  select(ContactBlock, Channel)
    .innerJoin('channels', 'channels.id', 'contact_blocks.channel_id')
    .select(['contact_blocks.contact_id', 'contact_blocks.phone', 'contact_blocks.user_id', 'contact_blocks.channel_id'])
    .select(['channels.phone_number_id', 'channels.account_id', 'channels.access_token', 'channels.deleted_at'])
    .where('contact_blocks.id', '=', change.block_id)
    .where('contact_blocks.change_id', '=', change.change_id)
    .where('contact_blocks.status', '=', change.doing),
);

type Open = { contact_id: string };
export const settleLocks = ([open]: Open[]) => (open ? [contactLock(open.contact_id)] : []);

const firstTime = () => raw('coalesce(blocked_at, clock_timestamp())') as unknown as string;

/** Records the provider's success. `open` is the result of `openBlock` now: empty after a later change or an erasure. */
export async function settleBlock(tx: OwnTx, { block_id, change_id }: BlockPayload, wish: BlockWish, [open]: Open[]) {
  if (!open) return;
  const { doing, done } = blockWishes[wish];
  const settled = await tx.update(
    ContactBlock,
    { id: block_id, change_id, status: doing, contact_id: open.contact_id },
    { status: done, failure: null, blocked_at: wish === 'block' ? firstTime() : null, updated_at: now() },
  );
  if (settled === 0) throw new LocksOutdated();
  (await contactTx(tx, open.contact_id)).changed('blocks');
}
