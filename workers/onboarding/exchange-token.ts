import { exchangeTokenJob } from '../../src/onboarding/jobs.ts';
import { handle } from '../handler.ts';
import { runStep } from './run-step.ts';

/** A code is good once: after a lost answer the provider refuses it, and the person gets another from it. */
export const exchangeToken = handle(exchangeTokenJob, ({ onboarding_id }, context) =>
  runStep(context, onboarding_id, 'exchange_token', async ({ code }) => {
    const { providers, secrets } = context;
    const token = await context.outside(() => providers.messagingApp.exchangeCode(secrets.open(code!)));
    return { access_token: secrets.seal(token), code: null };
  }),
);
