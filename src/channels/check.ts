import { cut } from '../platform/cut.ts';
import { now } from '../platform/database/columns.ts';
import type { Own } from '../platform/database/own.ts';
import type { TenantTransact } from '../platform/ledger/tenant.ts';
import { ProviderRefused } from '../providers/errors.ts';
import type { MessagingApp } from '../providers/messaging-app/provider.ts';
import type { ChannelAccount } from './account.ts';
import { channelLock, letChannelGo } from './change.ts';
import { Channel } from './channel.entity.ts';
import { qualities } from './health.entity.ts';
import { lastMessagesOf, recordHealth, type Told } from './health.ts';

const longestProblem = 500;

/** What the provider says now. Throws its refusal where it is about the whole channel, and whatever is to be tried again. */
export async function askHealth(messagingApp: MessagingApp, account: ChannelAccount): Promise<Told> {
  try {
    const number = await messagingApp.readHealth(account);
    return {
      token_state: 'valid',
      quality: qualities.find((quality) => quality === number.quality) ?? 'unknown',
      messaging_limit: number.messagingLimit,
      throughput: number.throughput,
      verified_name: number.verifiedName,
      name_status: number.nameStatus,
      is_subscribed: await isSubscribed(messagingApp, account),
      problem: '',
    };
  } catch (error) {
    if (!(error instanceof ProviderRefused) || error.stopsChannel) throw error;
    return { problem: cut(error.message, longestProblem) };
  }
}

/** A token that may send may still not be allowed to read what its account subscribes to. */
async function isSubscribed(messagingApp: MessagingApp, account: ChannelAccount): Promise<boolean | null> {
  try {
    return await messagingApp.isSubscribed(account);
  } catch (error) {
    if (error instanceof ProviderRefused && !error.stopsChannel) return null;
    throw error;
  }
}

/** The installation lacks the key: the provider was not asked. */
export async function recordUnreadable(transact: TenantTransact, id: string) {
  await transact({ locks: [channelLock(id)] }, async ({ own }) => {
    const channel = await own.findOne(Channel, { id, deleted_at: null });
    const problem = 'The access token cannot be decrypted: SECRET_KEY lacks its key. Bring the key back or set a new token';
    if (channel) await recordHealth(own, channel, { problem, checked_at: now() });
  });
}

/** A token that was refused and is good again lets the channel go. Ignored when the token was replaced meanwhile. */
export async function recordCheck(own: Own, transact: TenantTransact, { id, sealedToken }: ChannelAccount, told: Told) {
  const last = await lastMessagesOf(own, id);
  await transact({ locks: [channelLock(id)] }, async (tx) => {
    const channel = await tx.own.findOne(Channel, { id, access_token: sealedToken, deleted_at: null });
    if (!channel) return;
    await recordHealth(tx.own, channel, {
      ...told,
      ...(last.inbound_at && { last_inbound_at: last.inbound_at }),
      ...(last.outbound_at && { last_outbound_at: last.outbound_at }),
      checked_at: now(),
    });
    if (told.token_state === 'valid' && channel.status === 'auth_error') await letChannelGo(tx, id);
  });
}
