import { list } from '../../platform/listing/paging.ts';
import { ContactBlock } from './block.entity.ts';

/** Newest block first. `created_at` is the time of the block. */
export const listBlocked = list(
  (select, { channelId }: { channelId: string }) =>
    select(ContactBlock)
      .select(['id', 'contact_id', 'phone', 'user_id'])
      .select('blocked_at as created_at')
      .where('channel_id', '=', channelId)
      .where('blocked_at', 'is not', null)
      .$narrowType<{ created_at: string }>(),
  { createdAt: 'blocked_at' },
);

export type BlockedRow = Awaited<ReturnType<typeof listBlocked>>['rows'][number];
