import { ProviderBusy, ProviderRefused } from '../errors.ts';
import type { GraphClient } from './client.ts';
import type { OnboardingCalls } from './provider.ts';
import { checkDone, toAccessToken, toAppIds } from './replies.ts';

export type ProviderApp = { id: string; secret: string };

/** Ten registrations of a number in 72 hours. */
const registerLimit = '133016';

export function onboardingCalls(client: GraphClient, app: ProviderApp | undefined): OnboardingCalls {
  const ownApp = () => {
    if (!app) throw new ProviderRefused('MESSAGING_APP_ID and MESSAGING_APP_SECRET are not set', { code: 'no_app' });
    return app;
  };
  return {
    async exchangeCode(code) {
      const { id, secret } = ownApp();
      const search = { client_id: id, client_secret: secret, code };
      return toAccessToken(await client.get('oauth/access_token', undefined, search));
    },

    async subscribeApp({ accountId, accessToken }) {
      checkDone(await client.post(`${accountId}/subscribed_apps`, accessToken, {}));
    },

    async isAppSubscribed({ accountId, accessToken }) {
      const { id } = ownApp();
      return toAppIds(await client.get(`${accountId}/subscribed_apps`, accessToken)).includes(id);
    },

    async registerNumber({ phoneNumberId, accessToken }, pin) {
      try {
        checkDone(await client.post(`${phoneNumberId}/register`, accessToken, { messaging_product: 'whatsapp', pin }));
      } catch (error) {
        // Each further try counts, so nobody tries but a person who knows.
        if (error instanceof ProviderBusy && error.providerCode === registerLimit)
          throw new ProviderRefused(error.message, { code: registerLimit });
        throw error;
      }
    },
  };
}
