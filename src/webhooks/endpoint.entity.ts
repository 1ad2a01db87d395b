import { defineEntity, p } from '@mikro-orm/core';
import { created, tenant, times, timestamp } from '../platform/database/columns.ts';
import type { PhaseTimes } from './phase-clock.ts';

export const orderings = ['best_effort', 'per_subject'] as const;
export type Ordering = (typeof orderings)[number];

/** Its secrets and its own headers are sealed. A deleted one keeps what its deliveries show, and no secret. */
export const WebhookEndpoint = defineEntity({
  name: 'WebhookEndpoint',
  tableName: 'webhook_endpoints',
  properties: {
    ...tenant(),
    url: p.text(),
    event_types: p.array<string>(),
    /** Follows from `event_types` (platform/events/listening.ts). */
    event_prefixes: p.array<string>().strictNullable(),
    description: p.text().default(''),
    headers: p.text().strictNullable(),
    rate_limit: p.integer().strictNullable(),
    ordering: p.enum(orderings),
    enabled: p.boolean().default(true),
    secret: p.text(),
    /** Signs too until `previous_secret_until`. */
    previous_secret: p.text().strictNullable(),
    previous_secret_until: timestamp().returning().strictNullable(),
    disabled_reason: p.text().strictNullable(),
    disabled_at: timestamp().returning().strictNullable(),
    deleted_at: timestamp().strictNullable(),
    /** The first failure since the last success; null: the last attempt succeeded. */
    failing_since: timestamp().strictNullable(),
    /** When others were told that it fails. */
    failing_told_at: timestamp().strictNullable(),
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
    /** Its delivery's, for the statistics. */
    endpoint_id: p.uuid(),
    number: p.integer(),
    /** null: there was no response. */
    status: p.integer().strictNullable(),
    duration_ms: p.integer(),
    /** Where an attempt that failed had come to, and the milliseconds of each phase (phase-clock.ts). */
    phase: p.text().strictNullable(),
    phases: p.json<PhaseTimes>().strictNullable(),
    error_class: p.text().strictNullable(),
    error: p.text().strictNullable(),
    response_head: p.text().strictNullable(),
    /** What the try is owed to: one of `triggers` (replay/trigger.ts). */
    trigger: p.text().default('schedule'),
    ...created(),
  },
});
