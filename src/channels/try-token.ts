import type { Own } from '../platform/database/own.ts';
import { AppError } from '../platform/errors.ts';
import type { TenantTransact } from '../platform/ledger/tenant.ts';
import type { Secrets } from '../platform/secrets.ts';
import { ProviderRefused } from '../providers/errors.ts';
import type { MessagingApp } from '../providers/messaging-app/provider.ts';
import { readNumber, tokenOf } from './account.ts';
import { stopChannel } from './change.ts';

/** The stored token reads its number. A refusal is a 422, and stops a channel that is connected. Throws 404 for a deleted one. */
export async function tryToken(own: Own, transact: TenantTransact, messagingApp: MessagingApp, secrets: Secrets, id: string) {
  const account = await tokenOf(own, id, secrets);
  try {
    await readNumber(messagingApp, account);
  } catch (error) {
    const refusal = error instanceof AppError && error.cause instanceof ProviderRefused ? error.cause : undefined;
    if (refusal?.stopsChannel) await stopChannel(transact, account, refusal.stopsChannel);
    throw error;
  }
}
