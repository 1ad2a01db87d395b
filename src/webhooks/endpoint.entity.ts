import { defineEntity, p } from '@mikro-orm/core';
import { created, tenant, times, timestamp } from '../platform/database/columns.ts';

export const orderings = ['best_effort', 'per_subject'] as const;
export type Ordering = (typeof orderings)[number];

/** Its secret and its own headers are sealed. */
export const WebhookEndpoint = defineEntity({
  name: 'WebhookEndpoint',
  tableName: 'webhook_endpoints',
  properties: {
    ...tenant(),
    url: p.text(),
    event_types: p.array<string>(),
    description: p.text().default(''),
    headers: p.text().strictNullable(),
    rate_limit: p.integer().strictNullable(),
    ordering: p.enum(orderings),
    enabled: p.boolean().default(true),
    secret: p.text(),
    disabled_reason: p.text().strictNullable(),
    ...times(),
  },
});

export const deliveryStates = ['pending', 'succeeded', 'failed', 'cancelled'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

export const Delivery = defineEntity({
  name: 'Delivery',
  tableName: 'webhook_deliveries',
  properties: {
    ...tenant(),
    event_id: p.uuid(),
    endpoint_id: p.uuid(),
    state: p.enum(deliveryStates),
    attempts: p.integer().default(0),
    next_attempt_at: timestamp().strictNullable(),
    is_test: p.boolean().default(false),
    /** Of a replay (replay/trigger.ts). */
    asked_by: p.text().strictNullable(),
    asked_after: p.integer().strictNullable(),
    ...created(),
    finished_at: timestamp().strictNullable(),
  },
});

export const DeliveryAttempt = defineEntity({
  name: 'DeliveryAttempt',
  tableName: 'webhook_attempts',
  properties: {
    ...tenant(),
    delivery_id: p.uuid(),
    number: p.integer(),
    /** null: there was no response. */
    status: p.integer().strictNullable(),
    duration_ms: p.integer(),
    error_class: p.text().strictNullable(),
    error: p.text().strictNullable(),
    response_head: p.text().strictNullable(),
    /** What the try is owed to: one of `triggers` (replay/trigger.ts). */
    trigger: p.text().default('schedule'),
    ...created(),
  },
});
