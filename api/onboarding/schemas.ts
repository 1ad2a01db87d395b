import Joi from 'joi';
import { stepStatuses, steps, workSteps } from '../../src/onboarding/onboarding.entity.ts';
import type { OnboardingRow } from '../../src/onboarding/queries.ts';
import { exampleIdOf, exampleIds, exampleTime } from '../../src/platform/examples.ts';
import { id, iso, timestamp } from '../http/schemas.ts';
import { view } from '../http/view.ts';

export const tag = 'Onboarding';
export const subject = 'Onboarding';

export const progressView = view(
  'onboarding_progress',
  Joi.object({
    id: id.required(),
    organization_id: id.required(),
    channel_id: id.allow(null).required().description('The channel it has connected'),
    waba_id: Joi.string().allow(null).required(),
    phone_number_id: Joi.string().allow(null).required(),
    current_step: Joi.string()
      .valid(...steps)
      .required()
      .description('The step to ask for next, at work or failed; `completed` at the end'),
    step_status: Joi.string()
      .valid(...stepStatuses)
      .required()
      .description('`pending`: nobody has asked for the step. `failed`: it can be asked for again'),
    completed_steps: Joi.array()
      .items(Joi.string().valid(...workSteps))
      .required(),
    error: Joi.string().allow(null).required().description("Why the step failed, with the provider's code"),
    created_at: timestamp.required(),
    updated_at: timestamp.required(),
  }),
  {
    id: exampleIdOf('progress'),
    organization_id: exampleIds.organization,
    channel_id: null,
    waba_id: '200000000000001',
    phone_number_id: '100000000000001',
    current_step: 'register_phone',
    step_status: 'pending',
    completed_steps: ['exchange_token', 'subscribe_webhook'],
    error: null,
    created_at: exampleTime,
    updated_at: exampleTime,
  },
);

export const toView = (row: OnboardingRow) => ({
  id: row.id,
  organization_id: row.organization_id,
  channel_id: row.channel_id,
  waba_id: row.account_id,
  phone_number_id: row.phone_number_id,
  current_step: row.current_step,
  step_status: row.step_status,
  completed_steps: row.completed_steps,
  error: row.error,
  created_at: iso(row.created_at),
  updated_at: iso(row.updated_at),
});
