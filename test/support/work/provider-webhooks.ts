import { ProviderWebhook, UnmatchedStatus } from '../../../src/provider-webhooks/provider-webhook.entity.ts';
import { rowsOf } from './rows.ts';

export const providerWebhookRows = rowsOf(ProviderWebhook);
export const unmatchedStatusRows = rowsOf(UnmatchedStatus);
