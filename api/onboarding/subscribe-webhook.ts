import Joi from 'joi';
import { exampleIdOf } from '../../src/platform/examples.ts';
import { endpoint } from '../http/endpoint.ts';
import { asItStands, ask } from './ask.ts';
import { progressView, tag } from './schemas.ts';

type SubscribeBody = { phone_number_id: string; progress_id: string; waba_id: string };

const text = Joi.string().trim().min(1).max(255).required();

export const subscribeWebhook = endpoint({
  method: 'post',
  path: '/v1/waba/subscribe-webhook',
  operationId: 'onboarding.subscribe-webhook',
  tag,
  scope: 'onboarding:write',
  audit: 'onboarding',
  summary: "Subscribe the app to a business account's webhook",
  description:
    'The second step of an onboarding. A worker checks that the number belongs to the account, subscribes the app and looks that it is listed. The reply waits up to 5 seconds for it, or as `Prefer: wait` says (`wait=0`: not at all): then `step_status` is still `in_progress`, and `Operation-Id` names the operation. A refusal within that time is a 422 `provider_refused`. Asked again while it is at work, it is the same operation; done with the same values, it is not done again. 422 `step_not_ready` when exchange_token is not done, or another step is at work.',
  isIdempotent: true,
  isOperation: true,
  waitSeconds: 5,
  body: Joi.object<SubscribeBody>({
    phone_number_id: text.description('Issued by the messaging provider'),
    progress_id: text.description('The onboarding'),
    waba_id: text.description('The business account, issued by the messaging provider'),
  }),
  responses: { 200: progressView },
  errors: [404],
  example: {
    body: { phone_number_id: '100000000000001', progress_id: exampleIdOf('progress'), waba_id: '200000000000001' },
  },
  handler: (input, deps) => {
    const { phone_number_id: phoneNumberId, progress_id: progressId, waba_id: accountId } = input.body;
    return ask(input, deps, progressId, { step: 'subscribe_webhook', phoneNumberId, accountId });
  },
  outcome: (input) => asItStands(input, input.body.progress_id),
});
