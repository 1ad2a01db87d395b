import { now } from '../platform/database/columns.ts';
import type { Own } from '../platform/database/own.ts';
import type { RowOf } from '../platform/database/tables.ts';
import type { TenantTransact } from '../platform/ledger/tenant.ts';
import type { InboundNumberNews } from '../providers/messaging-app/inbound.ts';
import { channelLock, letChannelGo, stopLocked } from './change.ts';
import { Channel } from './channel.entity.ts';
import { ChannelHealth } from './health.entity.ts';
import { recordHealth } from './health.ts';

type Found = RowOf<typeof Channel, 'id' | 'access_token'>;

/** SQL: the channel whose own app sent it, or all of the account; a number is named as people see it. */
const concerned = `
  select id, access_token
    from channels
   where organization_id = $1 and account_id = $2 and deleted_at is null
     and ($3::text is null or regexp_replace(display_phone, '\\D', '', 'g') = $3)
     and ($4::uuid is null or id = $4)
   order by id`;

/** Stores what was told, and has the rest read again soon: the webhook names only what changed. Returns how many channels it concerned. */
export async function applyNumberNews(
  own: Own,
  transact: TenantTransact,
  { accountId, displayPhone, news, account, at }: InboundNumberNews,
  onlyChannelId: string | null,
): Promise<number> {
  const found = await own.sql<Found>(concerned, [accountId, displayPhone ?? null, onlyChannelId]);
  for (const { id, access_token: sealedToken } of found) {
    await transact({ locks: [channelLock(id)] }, async (tx) => {
      const channel = await tx.own.findOne(Channel, { id, deleted_at: null });
      if (!channel) return;
      const told = account && at ? { account_told_at: at.toISOString() } : {};
      if (told.account_told_at) {
        const known = await tx.own.findOne(ChannelHealth, { channel_id: id });
        // Webhooks come in any order, for days: an old ban must not stop for ever what was let go since.
        if (known?.account_told_at && at!.getTime() < Date.parse(known.account_told_at)) return;
      }
      if (account === 'stopped') await stopLocked(tx, { id, sealedToken }, 'restricted');
      await recordHealth(tx.own, channel, { ...news, ...told, next_check_at: now() }, { isNews: true });
      if (account === 'released' && channel.status === 'restricted') await letChannelGo(tx, id);
    });
  }
  return found.length;
}
