import { defineEntity, p } from '@mikro-orm/core';
import { created, tenant, timestamp } from '../platform/database/columns.ts';

/** Why it was made; `retry`: somebody asked for it. */
export const attemptTriggers = ['first', 'schedule', 'resend', 'retry'] as const;
export type AttemptTrigger = (typeof attemptTriggers)[number];
export const attemptOutcomes = ['accepted', 'failed', 'unknown'] as const;
export type AttemptOutcome = (typeof attemptOutcomes)[number];
/** Of a try that did not pass; `lost`: its worker died. */
export const attemptErrors = ['refused', 'channel_refused', 'busy', 'unavailable', 'no_answer', 'lost'] as const;
export type AttemptError = (typeof attemptErrors)[number];

/** A try of a send that did not pass, or after which somebody asked for another. A first try that passed has no row. */
export const MessageAttempt = defineEntity({
  name: 'MessageAttempt',
  tableName: 'message_attempts',
  properties: {
    ...tenant(),
    message_id: p.uuid(),
    number: p.integer(),
    job_id: p.uuid().strictNullable(),
    run: p.integer().strictNullable(),
    trigger: p.enum(attemptTriggers),
    outcome: p.enum(attemptOutcomes),
    error_class: p.enum(attemptErrors).strictNullable(),
    provider_code: p.text().strictNullable(),
    reason: p.text().default(''),
    /** null: nobody measured it. */
    duration_ms: p.integer().strictNullable(),
    started_at: timestamp(),
    /** When somebody asked for another try after this one. */
    retried_at: timestamp().strictNullable(),
    ...created(),
  },
});
