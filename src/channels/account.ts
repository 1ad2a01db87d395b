import type { Own } from '../platform/database/own.ts';
import { statement } from '../platform/database/statement.ts';
import { AppError, notFound } from '../platform/errors.ts';
import type { Secrets } from '../platform/secrets.ts';
import { ProviderError, ProviderRefused } from '../providers/errors.ts';
import type { Account, MessagingApp } from '../providers/messaging-app/provider.ts';
import { Channel, type ChannelStatus } from './channel.entity.ts';

export type NumberRead = { displayPhone: string; verifiedName: string };

/** The token must own number and account: webhooks about an account reach all its channels. */
export async function readOwnNumber(messagingApp: MessagingApp, account: Account): Promise<NumberRead> {
  const number = await messagingApp.readNumber(account);
  if (!(await messagingApp.ownsNumber(account)))
    throw new ProviderRefused('The number does not belong to this account', { code: 'account_mismatch' });
  return number;
}

/** The same for a caller who waits: a refusal is a 422. */
export async function readNumber(messagingApp: MessagingApp, account: Account): Promise<NumberRead> {
  try {
    return await readOwnNumber(messagingApp, account);
  } catch (error) {
    if (error instanceof ProviderRefused)
      throw new AppError('provider_refused', error.message, {
        details: [{ message: error.message, ...(error.providerCode && { code: error.providerCode }) }],
        cause: error,
      });
    if (error instanceof ProviderError)
      throw new AppError('unavailable', 'The provider cannot be reached; try again', { retryAfterSeconds: 5, cause: error });
    throw error;
  }
}

/** As it is stored. Throws 404 for a channel that was deleted meanwhile. */
export async function tokenOf(own: Own, id: string, secrets: Secrets): Promise<ChannelAccount> {
  const account = await channelAccount(own, id, secrets);
  if (!account) throw notFound('Channel');
  return account;
}

const accountOf = statement((select, { id }: { id: string }) =>
  select(Channel)
    .select(['phone_number_id', 'account_id', 'access_token', 'status'])
    .where('id', '=', id)
    .where('deleted_at', 'is', null),
);

/** `sealedToken`: to tell later whether the token is still the one that was refused. */
export type ChannelAccount = Account & { id: string; sealedToken: string; status: ChannelStatus };

/** Undefined for a deleted one too. */
export async function channelAccount(own: Own, id: string, secrets: Secrets): Promise<ChannelAccount | undefined> {
  const [row] = await accountOf(own, { id });
  return (
    row && {
      id,
      phoneNumberId: row.phone_number_id,
      accountId: row.account_id,
      accessToken: secrets.open(row.access_token),
      sealedToken: row.access_token,
      status: row.status,
    }
  );
}
