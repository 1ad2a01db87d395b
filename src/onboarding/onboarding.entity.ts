import { defineEntity, p } from '@mikro-orm/core';
import { tenant, times } from '../platform/database/columns.ts';

/** What a worker does, in this order. */
export const workSteps = ['exchange_token', 'subscribe_webhook', 'register_phone', 'sync_assets'] as const;
export type WorkStep = (typeof workSteps)[number];

export const steps = [...workSteps, 'completed'] as const;
export type Step = (typeof steps)[number];

/** `pending`: nobody has asked for the step yet. */
export const stepStatuses = ['pending', 'in_progress', 'completed', 'failed'] as const;
export type StepStatus = (typeof stepStatuses)[number];

/** A number on its way to a channel. Code, PIN and token are sealed, and deleted as soon as no step needs them. */
export const Onboarding = defineEntity({
  name: 'Onboarding',
  tableName: 'onboardings',
  properties: {
    ...tenant(),
    channel_id: p.uuid().strictNullable(),
    account_id: p.text().strictNullable(),
    phone_number_id: p.text().strictNullable(),
    current_step: p.enum(steps),
    step_status: p.enum(stepStatuses),
    completed_steps: p.array<string>(),
    error: p.text().strictNullable(),
    /** Of the channel to come; null: the number's verified name. */
    channel_name: p.text().strictNullable(),
    rate: p.integer(),
    code: p.text().strictNullable(),
    /** Keyed. A code is good once: the same one is never exchanged again. */
    code_hash: p.text().strictNullable(),
    access_token: p.text().strictNullable(),
    pin: p.text().strictNullable(),
    ...times(),
  },
});
