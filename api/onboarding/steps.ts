import Joi from 'joi';
import { AppError } from '../../src/platform/errors.ts';
import { endpoint } from '../http/endpoint.ts';
import { operationNote } from '../http/schemas.ts';
import { withExample } from '../http/view.ts';
import { asItStands, ask } from './ask.ts';
import { progressView, subject, tag } from './schemas.ts';

const note = `Asked again while it is at work, it is the same operation; done with the same values, it is not done again. 422 \`step_not_ready\` when a step before it is not done, or another is at work. ${operationNote}`;

const about = {
  method: 'post' as const,
  tag,
  subject,
  scope: 'onboarding:write' as const,
  audit: 'onboarding',
  isIdempotent: true,
  isOperation: true,
};

const atWork = (step: string, ...done: string[]) =>
  withExample(progressView, { current_step: step, step_status: 'in_progress', completed_steps: done });

export const exchangeToken = endpoint({
  ...about,
  path: '/v1/onboarding/:progressID/exchange-token',
  operationId: 'onboarding.exchange-token',
  summary: "Exchange the signup's code for a token",
  description: `The first step. A code is good once and for a short time: after a failure the person goes through the signup again. Another code starts the later steps anew. 409 when the installation has no provider app. ${note}`,
  body: Joi.object<{ code: string }>({
    code: Joi.string().trim().min(1).max(2048).required().description('What the embedded signup gave'),
  }),
  responses: { 200: withExample(atWork('exchange_token'), { waba_id: null, phone_number_id: null }) },
  errors: [409],
  example: { body: { code: '<code>' } },
  handler: (input, deps) => {
    const { messagingAppId, messagingAppSecret } = deps.config;
    if (!messagingAppId || !messagingAppSecret)
      throw new AppError(
        'conflict',
        'This installation has no provider app: MESSAGING_APP_ID and MESSAGING_APP_SECRET are not set',
      );
    return ask(input, deps, input.params.progressID, { step: 'exchange_token', code: input.body.code });
  },
  outcome: (input) => asItStands(input, input.params.progressID),
});

export const registerPhone = endpoint({
  ...about,
  path: '/v1/onboarding/:progressID/register-phone',
  operationId: 'onboarding.register-phone',
  summary: 'Register the number with its PIN',
  description: `The third step. The PIN is that of the number's two-step verification; for a number without one this sets it. The provider counts the tries: 10 in 72 hours. ${note}`,
  body: Joi.object<{ pin: string }>({
    pin: Joi.string()
      .max(6)
      .pattern(/^\d{6}$/)
      // Joi's own text repeats the value.
      .messages({ 'string.pattern.base': '{{#label}} must be six digits' })
      .required(),
  }),
  responses: { 200: atWork('register_phone', 'exchange_token', 'subscribe_webhook') },
  example: { body: { pin: '123456' } },
  handler: (input, deps) => ask(input, deps, input.params.progressID, { step: 'register_phone', pin: input.body.pin }),
  outcome: (input) => asItStands(input, input.params.progressID),
});

export const syncAssets = endpoint({
  ...about,
  path: '/v1/onboarding/:progressID/sync-assets',
  operationId: 'onboarding.sync-assets',
  summary: 'Connect the channel and fetch its templates',
  description: `The last step. A number that is a channel of the organization already gets the new token instead. A number that another organization has connected fails with \`conflict\`. ${note}`,
  responses: { 200: atWork('sync_assets', 'exchange_token', 'subscribe_webhook', 'register_phone') },
  handler: (input, deps) => ask(input, deps, input.params.progressID, { step: 'sync_assets' }),
  outcome: (input) => asItStands(input, input.params.progressID),
});
