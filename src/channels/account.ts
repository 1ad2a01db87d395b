import type { Own } from '../platform/database/own.ts';
import { statement } from '../platform/database/statement.ts';
import { AppError } from '../platform/errors.ts';
import type { Secrets } from '../platform/secrets.ts';
import { ProviderError, ProviderRefused } from '../providers/errors.ts';
import type { Account, MessagingApp } from '../providers/messaging-app/provider.ts';
import { Channel } from './channel.entity.ts';

export type NumberRead = { displayPhone: string; verifiedName: string };

/** The token must own number and account: webhooks about an account reach all its channels. A refusal is a 422. */
export async function readNumber(messagingApp: MessagingApp, account: Account): Promise<NumberRead> {
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

const accountOf = statement((select, { id }: { id: string }) =>
  select(Channel).select(['phone_number_id', 'account_id', 'access_token']).where('id', '=', id),
);

export type ChannelAccount = Account & { id: string; sealedToken: string };

export async function channelAccount(own: Own, id: string, secrets: Secrets): Promise<ChannelAccount | undefined> {
  const [row] = await accountOf(own, { id });
  return (
    row && {
      id,
      phoneNumberId: row.phone_number_id,
      accountId: row.account_id,
      accessToken: secrets.open(row.access_token),
      sealedToken: row.access_token,
    }
  );
}
