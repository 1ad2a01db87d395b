import { ProviderWebhook, UnmatchedStatus } from '../../../src/provider-webhooks/provider-webhook.entity.ts';
import { type At, rowsOf } from './rows.ts';

export const providerWebhookRows = rowsOf(ProviderWebhook);
export const unmatchedStatusRows = rowsOf(UnmatchedStatus);

/** Returns the webhook that was received last. */
export async function lastWebhook(at: At) {
  const [last] = await providerWebhookRows.all(at, {}, ['state', 'errors', 'body'], { received_at: 'desc' });
  return last!;
}
