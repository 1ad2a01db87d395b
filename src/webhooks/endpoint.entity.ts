import { defineEntity, p } from '@mikro-orm/core';
import { nowDate } from '../platform/time/clock.ts';

export type Ordering = 'best_effort' | 'per_subject';
export type DeliveryState = 'pending' | 'succeeded' | 'failed';

/** A customer's address for events. Its secret and its own headers are sealed. */
export const WebhookEndpoint = defineEntity({
  name: 'WebhookEndpoint',
  tableName: 'webhook_endpoints',
  properties: {
    id: p.uuid().primary(),
    organizationId: p.uuid(),
    url: p.string(),
    eventTypes: p.array<string>(),
    description: p.string().default(''),
    headers: p.string().nullable(),
    rateLimit: p.integer().nullable(),
    ordering: p.string().$type<Ordering>(),
    enabled: p.boolean().default(true),
    secret: p.string(),
    disabledReason: p.string().nullable(),
    createdAt: p.datetime().onCreate(nowDate),
    updatedAt: p.datetime().onCreate(nowDate),
  },
});

/** One event for one endpoint. */
export const Delivery = defineEntity({
  name: 'Delivery',
  tableName: 'webhook_deliveries',
  properties: {
    id: p.uuid().primary(),
    organizationId: p.uuid(),
    eventId: p.uuid(),
    endpointId: p.uuid(),
    state: p.string().$type<DeliveryState>(),
    attempts: p.integer().default(0),
    nextAttemptAt: p.datetime().nullable(),
    isTest: p.boolean().default(false),
    createdAt: p.datetime().onCreate(nowDate),
    finishedAt: p.datetime().nullable(),
  },
});
