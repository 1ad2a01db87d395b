import Joi from 'joi';
import { exampleIdOf, exampleIds as ids } from '../examples.ts';
import { event } from './event.ts';

const id = (description: string) => Joi.string().required().description(description);
const text = (description: string) => Joi.string().allow('').required().description(description);

export const onboardingUpdated = event({
  type: 'onboarding.updated',
  description: 'An onboarding was started, or one of its steps was asked for, done or has failed',
  subject: { type: 'onboarding', id: 'onboarding_id' as const },
  data: Joi.object({
    onboarding_id: id('The onboarding'),
    organization_id: id('Its organization'),
    channel_id: text('The channel it has connected; empty before'),
    current_step: id('exchange_token, subscribe_webhook, register_phone, sync_assets, completed'),
    step_status: id('pending, in_progress, completed, failed'),
    error: text('Why the step failed; empty otherwise'),
  }),
  example: {
    onboarding_id: exampleIdOf('progress'),
    organization_id: ids.organization,
    channel_id: '',
    current_step: 'register_phone',
    step_status: 'pending',
    error: '',
  },
});
