import { now } from '../platform/database/columns.ts';
import type { Own } from '../platform/database/own.ts';
import type { TenantTransact } from '../platform/ledger/tenant.ts';
import type { InboundNumberNews } from '../providers/messaging-app/inbound.ts';
import { channelLock, letChannelGo, stopChannel } from './change.ts';
import { Channel } from './channel.entity.ts';
import { recordHealth } from './health.ts';

type Found = { id: string; access_token: string };

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
  { accountId, displayPhone, news, account }: InboundNumberNews,
  onlyChannelId: string | null,
): Promise<number> {
  const found = await own.sql<Found>(concerned, [accountId, displayPhone ?? null, onlyChannelId]);
  for (const { id, access_token: sealedToken } of found) {
    if (account === 'stopped') await stopChannel(transact, { id, sealedToken }, 'restricted');
    await transact({ locks: [channelLock(id)] }, async (tx) => {
      const channel = await tx.own.findOne(Channel, { id, deleted_at: null });
      if (!channel) return;
      await recordHealth(tx.own, channel, { ...news, next_check_at: now() });
      if (account === 'released' && channel.status === 'restricted') await letChannelGo(tx, id);
    });
  }
  return found.length;
}
