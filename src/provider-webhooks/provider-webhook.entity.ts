import { defineEntity, p } from '@mikro-orm/core';
import { tenant, timestamp, timestampNow } from '../platform/database/columns.ts';
import type { InboundStatus } from '../providers/messaging-app/inbound.ts';

export const providerWebhookStates = ['received', 'applied', 'broken'] as const;
export type ProviderWebhookState = (typeof providerWebhookStates)[number];
export type ProviderWebhookError = { error: string; part?: string };

/** A body about several organizations is split: each keeps only its own changes. */
export const ProviderWebhook = defineEntity({
  name: 'ProviderWebhook',
  tableName: 'provider_webhooks',
  properties: {
    ...tenant(),
    channel_id: p.uuid().strictNullable(),
    /** Bytes, because jsonb refuses NUL. */
    body: p.blob().$type<Buffer>(),
    state: p.enum(providerWebhookStates),
    errors: p.json<ProviderWebhookError[]>().strictNullable(),
    received_at: timestampNow(),
    applied_at: timestamp().strictNullable(),
  },
});

export const unmatchedStates = ['waiting', 'matched', 'dropped'] as const;
export type UnmatchedState = (typeof unmatchedStates)[number];

export const UnmatchedStatus = defineEntity({
  name: 'UnmatchedStatus',
  tableName: 'unmatched_statuses',
  properties: {
    ...tenant(),
    channel_id: p.uuid(),
    provider_message_id: p.text(),
    /** Its time is text here. */
    status: p.json<InboundStatus>(),
    state: p.enum(unmatchedStates),
    received_at: timestampNow(),
  },
});
