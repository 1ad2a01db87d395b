import { syncTemplatesJob } from '../messaging/jobs.ts';
import type { Em } from '../platform/database/database.ts';
import { violatedConstraint } from '../platform/database/errors.ts';
import { query } from '../platform/database/query.ts';
import { AppError, notFound } from '../platform/errors.ts';
import { channelStatusUpdate } from '../platform/events/catalogue.ts';
import { uuidv7 } from '../platform/ids.ts';
import { subjectLock } from '../platform/ledger/locks.ts';
import { channelPool, holdPool, letPoolGo, setPool } from '../platform/ledger/pools.ts';
import type { Transact } from '../platform/ledger/transact.ts';
import type { Tx } from '../platform/ledger/tx.ts';
import type { Secrets } from '../platform/secrets.ts';
import { ProviderError, ProviderRefused } from '../providers/errors.ts';
import type { MessagingApp } from '../providers/messaging-app/provider.ts';
import { Channel, type ChannelStatus } from './channel.entity.ts';
import { type ChannelRow, channelColumns, findChannel } from './queries.ts';

export type ConnectRequest = {
  name?: string;
  phoneNumberId: string;
  accountId: string;
  accessToken: string;
  appSecret?: string;
  verifyToken?: string;
  rate: number;
};
export type NumberRead = { displayPhone: string; verifiedName: string };

/**
 * Reads the number with the token given, and asks whether it belongs to the account, so that nobody connects a number or an account of others:
 * what the provider tells of an account reaches the channels of it. A refusal is a 422 with the provider's reason.
 */
export async function readNumber(
  messagingApp: MessagingApp,
  account: { phoneNumberId: string; accountId: string; accessToken: string },
): Promise<NumberRead> {
  try {
    const number = await messagingApp.readNumber(account);
    if (!(await messagingApp.ownsNumber(account)))
      throw new ProviderRefused('The number does not belong to this account', { code: 'account_mismatch' });
    return number;
  } catch (error) {
    if (error instanceof ProviderRefused)
      throw new AppError('provider_refused', error.message, {
        details: [{ message: error.message, ...(error.providerCode && { code: error.providerCode }) }],
      });
    if (error instanceof ProviderError)
      throw new AppError('unavailable', 'The provider cannot be reached; try again', { retryAfterSeconds: 5, cause: error });
    throw error;
  }
}

/** A channel, its pool and the job that fetches its templates. A number is connected once in the installation: 409. */
export async function connectChannel(
  tx: Tx,
  organizationId: string,
  request: ConnectRequest,
  number: NumberRead,
  secrets: Secrets,
): Promise<{ channel: ChannelRow; operationId: string }> {
  const id = uuidv7();
  await tx.lockNew('channel', id);
  try {
    await tx.em.insert(Channel, {
      id,
      organization_id: organizationId,
      provider: 'messaging_app',
      name: request.name ?? number.verifiedName,
      phone_number_id: request.phoneNumberId,
      account_id: request.accountId,
      display_phone: number.displayPhone,
      status: 'connected',
      access_token: secrets.seal(request.accessToken),
      app_secret: request.appSecret ? secrets.seal(request.appSecret) : null,
      verify_token: request.verifyToken ? secrets.seal(request.verifyToken) : null,
      rate: request.rate,
    });
    const channel = await findChannel(tx.em, organizationId, id);
    await setPool(tx.em, channelPool(id), request.rate, request.rate);
    tx.emit(channelStatusUpdate, { channel_id: id, status: 'connected' }, { organizationId });
    return { channel: channel!, operationId: tx.enqueue(syncTemplatesJob, organizationId, { channel_id: id }) };
  } catch (error) {
    if (violatedConstraint(error) === 'channels_phone_number_id')
      throw new AppError('conflict', 'This number is connected already');
    throw error;
  }
}

export type ChannelChange = { name?: string; rate?: number; accessToken?: string };

/** A new token connects the channel again and lets its waiting messages go. */
export async function changeChannel(
  tx: Tx,
  organizationId: string,
  id: string,
  change: ChannelChange,
  secrets: Secrets,
): Promise<ChannelRow> {
  const [row] = await tx.query<ChannelRow & { was: ChannelStatus }>(
    `update channels set name = coalesce($3, name), rate = coalesce($4, rate), access_token = coalesce($5, access_token), status = case when $5::text is null then status else 'connected' end, updated_at = clock_timestamp()
      where organization_id = $1 and id = $2 returning ${channelColumns}, old.status as was`,
    [organizationId, id, change.name ?? null, change.rate ?? null, change.accessToken ? secrets.seal(change.accessToken) : null],
  );
  if (!row) throw notFound('Channel');
  await setPool(tx.em, channelPool(id), row.rate, row.rate);
  if (change.accessToken) {
    await letPoolGo(tx.em, channelPool(id));
    tx.dispatch({ rows: [], pools: [channelPool(id)] });
    if (row.was !== 'connected') tx.emit(channelStatusUpdate, { channel_id: id, status: 'connected' }, { organizationId });
  }
  return row;
}

/**
 * The provider refuses the whole channel: nothing more is sent until somebody mends it; what waits keeps its
 * place. A refusal of a token that has been replaced meanwhile stops nothing.
 */
export async function stopChannel(
  transact: Transact,
  organizationId: string,
  { id, sealedToken }: { id: string; sealedToken: string },
  status: 'auth_error' | 'restricted',
) {
  await transact({ locks: [subjectLock('channel', id)] }, async (tx) => {
    const changed = await tx.query(
      'update channels set status = $3, updated_at = clock_timestamp() where organization_id = $1 and id = $2 and status <> $3 and access_token = $4 returning id',
      [organizationId, id, status, sealedToken],
    );
    if (changed.length === 0) return;
    await holdPool(tx.em, channelPool(id), null);
    tx.emit(channelStatusUpdate, { channel_id: id, status }, { organizationId });
  });
}

export type ChannelAccount = {
  id: string;
  organizationId: string;
  phoneNumberId: string;
  accountId: string;
  accessToken: string;
};

/** What a provider call needs of a channel, its token opened. Undefined when it is gone. */
export async function channelAccount(em: Em, id: string, secrets: Secrets): Promise<ChannelAccount | undefined> {
  const [row] = await query<{ organization_id: string; phone_number_id: string; account_id: string; access_token: string }>(
    em,
    'select organization_id, phone_number_id, account_id, access_token from channels where id = $1',
    [id],
  );
  return (
    row && {
      id,
      organizationId: row.organization_id,
      phoneNumberId: row.phone_number_id,
      accountId: row.account_id,
      accessToken: secrets.open(row.access_token),
    }
  );
}
