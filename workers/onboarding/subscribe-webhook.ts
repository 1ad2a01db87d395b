import { readOwnNumber } from '../../src/channels/account.ts';
import { assertFree } from '../../src/onboarding/connect-number.ts';
import { subscribeWebhookJob } from '../../src/onboarding/jobs.ts';
import { ProviderFailed } from '../../src/providers/errors.ts';
import { handle } from '../handler.ts';
import { accountOf, runStep } from './run-step.ts';

/** Whose the number is, is asked first: nothing of another account is changed. */
export const subscribeWebhook = handle(subscribeWebhookJob, ({ onboarding_id }, context) =>
  runStep(context, onboarding_id, 'subscribe_webhook', async (onboarding) => {
    const { messagingApp } = context.providers;
    const account = accountOf(context, onboarding);
    await assertFree(context.database, context.own, account.phoneNumberId);
    await context.outside(async () => {
      await readOwnNumber(messagingApp, account);
      await messagingApp.subscribeApp(account);
      if (!(await messagingApp.isAppSubscribed(account)))
        throw new ProviderFailed('The provider does not list the app among those that hear of the account');
    });
    return {};
  }),
);
