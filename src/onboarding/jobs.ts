import Joi from 'joi';
import { AppError } from '../platform/errors.ts';
import { uuid } from '../platform/ids.ts';
import { backoff, type JobContract, job } from '../platform/ledger/job.ts';
import { changeOnboarding, failStep } from './change.ts';
import { Onboarding, type WorkStep } from './onboarding.entity.ts';

type Payload = { onboarding_id: string };

/** In the onboarding's lane. At most one lives at a time; what it works with is read from the row. */
const stepJob = (step: WorkStep): JobContract<Payload> =>
  job<Payload>({
    name: `onboarding.${step.replace('_', '-')}`,
    queue: 'default',
    payload: Joi.object({ onboarding_id: uuid }),
    subjectType: 'onboarding',
    subject: 'onboarding_id',
    // A person waits in front of the screen, and a code is good for a short time only.
    delayMs: backoff(4),
    operation: true,
    failed: ({ own }, { onboarding_id }, error) => failStep(own, onboarding_id, step, error),
    async revived({ own }, { onboarding_id }) {
      const onboarding = await own.findOne(Onboarding, { id: onboarding_id, current_step: step, step_status: 'failed' });
      if (!onboarding) throw new AppError('conflict', 'The onboarding has moved on since');
      await changeOnboarding(own, onboarding, { step_status: 'in_progress', error: null });
    },
    calledOff: ({ own }, { onboarding_id }) => failStep(own, onboarding_id, step, { code: 'cancelled', message: 'Called off' }),
    // SQL: a part of the statement of `jobs check`.
    openSubjects: `
    select organization_id, id
      from onboardings
     where step_status = 'in_progress'
       and current_step = '${step}'`,
  });

export const exchangeTokenJob = stepJob('exchange_token');
export const subscribeWebhookJob = stepJob('subscribe_webhook');
export const registerPhoneJob = stepJob('register_phone');
export const syncAssetsJob = stepJob('sync_assets');

export const stepJobs: Record<WorkStep, JobContract<Payload>> = {
  exchange_token: exchangeTokenJob,
  subscribe_webhook: subscribeWebhookJob,
  register_phone: registerPhoneJob,
  sync_assets: syncAssetsJob,
};
