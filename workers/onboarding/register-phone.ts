import { registerPhoneJob } from '../../src/onboarding/jobs.ts';
import { handle } from '../handler.ts';
import { accountOf, runStep } from './run-step.ts';

export const registerPhone = handle(registerPhoneJob, ({ onboarding_id }, context) =>
  runStep(context, onboarding_id, 'register_phone', async (onboarding) => {
    const account = accountOf(context, onboarding);
    const pin = context.secrets.open(onboarding.pin!);
    await context.outside(() => context.providers.messagingApp.registerNumber(account, pin));
    return { pin: null };
  }),
);
