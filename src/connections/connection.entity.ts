import { defineEntity, p } from '@mikro-orm/core';
import { created, tenant, times, timestamp, timestampNow } from '../platform/database/columns.ts';

export const connectionKinds = ['calendar', 'video', 'shipper', 'payment'] as const;
export type ConnectionKind = (typeof connectionKinds)[number];

export const connectionProviders = ['google', 'zoom', 'biteship', 'xendit', 'stripe'] as const;
export type ConnectionProvider = (typeof connectionProviders)[number];

export const connectionStatuses = ['connected', 'auth_error', 'restricted', 'disconnected'] as const;
export type ConnectionStatus = (typeof connectionStatuses)[number];

export const connectionWebhookStatuses = ['received', 'applied', 'unknown', 'broken'] as const;
export type ConnectionWebhookStatus = (typeof connectionWebhookStatuses)[number];

export const Connection = defineEntity({
  name: 'Connection',
  tableName: 'connections',
  properties: {
    ...tenant(),
    kind: p.enum(connectionKinds),
    provider: p.enum(connectionProviders),
    name: p.text(),
    status: p.enum(connectionStatuses).default('connected'),
    account: p.text().default(''),
    settings: p.json<Record<string, unknown>>().defaultRaw(`'{}'`),
    credentials: p.text().strictNullable(),
    webhook_secret: p.text().strictNullable(),
    access_token: p.text().strictNullable(),
    access_token_expires_at: timestamp().strictNullable(),
    renewing_until: timestamp().strictNullable(),
    is_default: p.boolean().default(false),
    last_ok_at: timestamp().strictNullable(),
    last_error: p.text().strictNullable(),
    last_error_at: timestamp().strictNullable(),
    checked_at: timestamp().strictNullable(),
    next_check_at: timestamp().returning().defaultRaw(`clock_timestamp() + interval '1 day'`),
    deleted_at: timestamp().strictNullable(),
    ...times(),
  },
});

export const ConnectionConsent = defineEntity({
  name: 'ConnectionConsent',
  tableName: 'connection_consents',
  properties: {
    organization_id: p.uuid().primary(),
    state_hash: p.text().primary(),
    provider: p.text(),
    actor: p.text(),
    verifier: p.text(),
    return_url: p.text(),
    expires_at: timestamp(),
    ...created(),
  },
});

export const ConnectionWebhook = defineEntity({
  name: 'ConnectionWebhook',
  tableName: 'connection_webhooks',
  properties: {
    ...tenant(),
    connection_id: p.uuid(),
    external_id: p.text(),
    body: p.blob(),
    status: p.enum(connectionWebhookStatuses).default('received'),
    error: p.text().strictNullable(),
    received_at: timestampNow(),
    applied_at: timestamp().strictNullable(),
  },
});
