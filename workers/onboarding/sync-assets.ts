import { readOwnNumber } from '../../src/channels/account.ts';
import { connectNumber } from '../../src/onboarding/connect-number.ts';
import { syncAssetsJob } from '../../src/onboarding/jobs.ts';
import { handle } from '../handler.ts';
import { storeListed } from '../templates/store-listed.ts';
import { accountOf, runStep } from './run-step.ts';

/** The channel is connected, and stays so, before its templates are read: a message can be sent once they are here. */
export const syncAssets = handle(syncAssetsJob, ({ onboarding_id }, context) =>
  runStep(context, onboarding_id, 'sync_assets', async (onboarding) => {
    const { own, transact, providers, secrets } = context;
    const account = accountOf(context, onboarding);
    const number = await context.outside(() => readOwnNumber(providers.messagingApp, account));
    const { channel_name: name, rate } = onboarding;
    const connecting = { onboardingId: onboarding_id, account, name, rate, number };
    const channelId = await connectNumber(own, transact, connecting, secrets);
    if (!channelId) return {};
    await storeListed(context, channelId, () => context.outside(() => providers.messagingApp.listTemplates(account)));
    return { access_token: null };
  }),
);
