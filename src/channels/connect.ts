import { violatedConstraint } from '../platform/database/errors.ts';
import { AppError } from '../platform/errors.ts';
import { uuidv7 } from '../platform/ids.ts';
import { letPoolGo, setPool } from '../platform/ledger/pools.ts';
import type { TenantTx } from '../platform/ledger/tx.ts';
import type { Secrets } from '../platform/secrets.ts';
import { syncTemplatesJob } from '../templates/jobs.ts';
import type { NumberRead } from './account.ts';
import { poolsOf } from './change.ts';
import { Channel } from './channel.entity.ts';
import { recordHealth } from './health.ts';
import type { ChannelRow } from './queries.ts';
import { emitChange } from './told.ts';

export type ConnectRequest = {
  name?: string;
  phoneNumberId: string;
  accountId: string;
  accessToken: string;
  appSecret?: string;
  verifyToken?: string;
  rate: number;
};

/** A number is connected at most once in the installation: 409. */
export async function connectChannel(
  { em, own, dispatch }: TenantTx,
  request: ConnectRequest,
  number: NumberRead,
  secrets: Secrets,
): Promise<{ channel: ChannelRow; operationId: string }> {
  const id = uuidv7();
  await own.lockNew('channel', id);
  const channel = own.create(Channel, {
    id,
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
    deleted_at: null,
  });
  // The reply shows the database's times.
  await own.flush().catch(refuseKnownNumber);
  const [ofMessages, ofAccount] = poolsOf(own, channel);
  await setPool(em, ofMessages, request.rate, request.rate);
  // Held where none of the account's other numbers can ask the provider: this one can.
  await letPoolGo(em, ofAccount);
  dispatch({ pools: [ofAccount] });
  await recordHealth(own, channel, { token_state: 'valid', verified_name: number.verifiedName });
  emitChange(own, channel, ['status']);
  return { channel, operationId: own.enqueue(syncTemplatesJob, { channel_id: id }) };
}

function refuseKnownNumber(error: unknown): never {
  if (violatedConstraint(error) === 'channels_phone_number_id')
    throw new AppError('conflict', 'This number is connected already');
  throw error;
}
