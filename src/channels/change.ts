import { now } from '../platform/database/columns.ts';
import { notFound } from '../platform/errors.ts';
import { channelStatusUpdate } from '../platform/events/catalogue.ts';
import { subjectLock } from '../platform/ledger/locks.ts';
import { channelPool, holdPool, letPoolGo, poolOf, setPool } from '../platform/ledger/pools.ts';
import type { TenantTransact } from '../platform/ledger/tenant.ts';
import type { TenantTx } from '../platform/ledger/tx.ts';
import type { Secrets } from '../platform/secrets.ts';
import { Channel } from './channel.entity.ts';
import type { ChannelRow } from './queries.ts';

export const channelLock = (channelId: string) => subjectLock('channel', channelId);

export type ChannelChange = { name?: string; rate?: number; accessToken?: string };

/** A new token reconnects the channel and releases its waiting messages. Needs the channel's lock. Throws 404. */
export async function changeChannel(
  { em, own, dispatch }: TenantTx,
  id: string,
  { name, rate, accessToken }: ChannelChange,
  secrets: Secrets,
): Promise<ChannelRow> {
  own.assertLocked(channelLock(id));
  const channel = await own.findOne(Channel, { id });
  if (!channel) throw notFound('Channel');
  const isConnectedAgain = accessToken !== undefined && channel.status !== 'connected';
  if (name !== undefined) channel.name = name;
  if (rate !== undefined) channel.rate = rate;
  if (accessToken !== undefined) {
    channel.access_token = secrets.seal(accessToken);
    channel.status = 'connected';
  }
  channel.updated_at = now();
  await own.flush();
  const pool = poolOf(own.organizationId, channelPool(id));
  if (rate !== undefined) await setPool(em, pool, rate, rate);
  if (accessToken !== undefined) {
    await letPoolGo(em, pool);
    dispatch({ rows: [], pools: [pool] });
  }
  if (isConnectedAgain) own.emit(channelStatusUpdate, { channel_id: id, status: 'connected' });
  return channel;
}

/** Waiting messages keep their place until somebody repairs the channel. Ignored when the token was replaced meanwhile. */
export async function stopChannel(
  transact: TenantTransact,
  { id, sealedToken }: { id: string; sealedToken: string },
  status: 'auth_error' | 'restricted',
) {
  await transact({ locks: [channelLock(id)] }, async ({ em, own }) => {
    const where = { id, access_token: sealedToken, status: { $ne: status } };
    const stopped = await own.update(Channel, where, { status, updated_at: now() });
    if (stopped === 0) return;
    await holdPool(em, poolOf(own.organizationId, channelPool(id)), null);
    own.emit(channelStatusUpdate, { channel_id: id, status });
  });
}
