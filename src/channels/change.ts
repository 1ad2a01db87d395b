import { now } from '../platform/database/columns.ts';
import { statement } from '../platform/database/statement.ts';
import { notFound } from '../platform/errors.ts';
import type { PoolRef } from '../platform/ledger/accept.ts';
import { subjectLock } from '../platform/ledger/locks.ts';
import { accountPool, channelPool, holdPool, letPoolGo, poolOf, setPool } from '../platform/ledger/pools.ts';
import type { TenantTransact } from '../platform/ledger/tenant.ts';
import type { OwnTx, TenantTx } from '../platform/ledger/tx.ts';
import type { Secrets } from '../platform/secrets.ts';
import { Channel, type ChannelStatus } from './channel.entity.ts';
import { recordHealth } from './health.ts';
import type { ChannelRow } from './queries.ts';
import { emitChange } from './told.ts';

export const channelLock = (channelId: string) => subjectLock('channel', channelId);

export type ChannelChange = {
  name?: string;
  rate?: number;
  accessToken?: string;
  /** Null: the channel has no provider app of its own any more, and no verify token of one. */
  appSecret?: string | null;
  verifyToken?: string;
};

/** Needs its lock. Throws 404, for a deleted one too. */
export async function channelToChange(own: OwnTx, id: string) {
  own.assertLocked(channelLock(id));
  const channel = await own.findOne(Channel, { id, deleted_at: null });
  if (!channel) throw notFound('Channel');
  return channel;
}

/** A new token connects a channel again that the provider had refused; one that was disconnected by hand stays so. Throws 404. */
export async function changeChannel(
  tx: TenantTx,
  id: string,
  { name, rate, accessToken, appSecret, verifyToken }: ChannelChange,
  secrets: Secrets,
): Promise<ChannelRow> {
  const { em, own } = tx;
  const channel = await channelToChange(own, id);
  if (name !== undefined) channel.name = name;
  if (rate !== undefined) channel.rate = rate;
  if (appSecret === null) Object.assign(channel, { app_secret: null, verify_token: null });
  else if (appSecret !== undefined) channel.app_secret = secrets.seal(appSecret);
  if (verifyToken !== undefined) channel.verify_token = secrets.seal(verifyToken);
  if (accessToken !== undefined) channel.access_token = secrets.seal(accessToken);
  channel.updated_at = now();
  await own.flush();
  if (rate !== undefined) await setPool(em, poolOf(own.organizationId, channelPool(id)), rate, rate);
  if (accessToken === undefined) return channel;
  await recordHealth(own, channel, { token_state: 'valid', problem: '' });
  return channel.status === 'disconnected' ? channel : letChannelGo(tx, id);
}

/** Its messages wait in their places, and no new one is taken. */
export async function disconnectChannel({ em, own }: TenantTx, id: string): Promise<ChannelRow> {
  const channel = await channelToChange(own, id);
  await holdPools({ em, own }, channel);
  if (channel.status !== 'disconnected') await setStatus(own, channel, 'disconnected');
  return channel;
}

/** By hand, of any status. The token has been tried. Throws 404. */
export async function reconnectChannel(tx: TenantTx, id: string): Promise<ChannelRow> {
  await recordHealth(tx.own, await channelToChange(tx.own, id), { token_state: 'valid', problem: '' });
  return letChannelGo(tx, id);
}

/** Connected, and what waited goes out. The token has been tried. */
export async function letChannelGo({ em, own, dispatch }: TenantTx, id: string): Promise<ChannelRow> {
  const channel = await channelToChange(own, id);
  const pools = poolsOf(own, channel);
  for (const pool of pools) await letPoolGo(em, pool);
  dispatch({ pools });
  if (channel.status !== 'connected') await setStatus(own, channel, 'connected');
  return channel;
}

type Pooled = { id: string; account_id: string };

/** Of its messages, and of the management calls for its account. */
export const poolsOf = ({ organizationId }: Pick<OwnTx, 'organizationId'>, { id, account_id }: Pooled): [PoolRef, PoolRef] => [
  poolOf(organizationId, channelPool(id)),
  poolOf(organizationId, accountPool(organizationId, account_id)),
];

const othersOfAccount = statement((select, { accountId, except }: { accountId: string; except: string }) =>
  select(Channel).select('status').where('account_id', '=', accountId).where('id', '!=', except).where('deleted_at', 'is', null),
);

/** Whether another number of the account can ask the provider. Undefined: the account has no other. */
export async function isOtherConnected(own: OwnTx, { id, account_id: accountId }: Pooled): Promise<boolean | undefined> {
  const others = await othersOfAccount(own, { accountId, except: id });
  return others.length === 0 ? undefined : others.some(({ status }) => status === 'connected');
}

/** The account's is shared with its other numbers: it is held when none of them can ask the provider either. */
async function holdPools({ em, own }: Pick<TenantTx, 'em' | 'own'>, channel: Pooled) {
  const [ofMessages, ofAccount] = poolsOf(own, channel);
  await holdPool(em, ofMessages, null);
  if (!(await isOtherConnected(own, channel))) await holdPool(em, ofAccount, null);
}

async function setStatus(own: OwnTx, channel: { id: string; status: ChannelStatus; updated_at: string }, status: ChannelStatus) {
  Object.assign(channel, { status, updated_at: now() });
  await own.flush();
  emitChange(own, channel, ['status']);
}

type Stopped = { id: string; sealedToken: string };
type StopStatus = 'auth_error' | 'restricted';

/**
 * Waiting messages keep their place until somebody repairs the channel. Ignored when the token was replaced meanwhile, and for a channel that
 * was disconnected or deleted. One that is restricted stays so.
 */
export async function stopChannel(transact: TenantTransact, channel: Stopped, status: StopStatus) {
  await transact({ locks: [channelLock(channel.id)] }, (tx) => stopLocked(tx, channel, status));
}

/** The same under its lock. */
export async function stopLocked({ em, own }: TenantTx, { id, sealedToken }: Stopped, status: StopStatus) {
  const channel = await own.findOne(Channel, { id, access_token: sealedToken, deleted_at: null });
  if (!channel || channel.status === status || channel.status === 'disconnected') return;
  // A good token would release auth_error, and must not release a ban.
  if (channel.status !== 'restricted') {
    await holdPools({ em, own }, channel);
    await setStatus(own, channel, status);
  }
  if (status === 'auth_error') await recordHealth(own, channel, { token_state: 'invalid' });
}
