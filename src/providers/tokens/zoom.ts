import { ProviderFailed } from '../errors.ts';
import type { AskToken } from './client.ts';
import type { Tokens } from './provider.ts';

/** Server-to-server: the account's own app, no person and no refresh token. */
export const zoomTokens = (ask: AskToken, tokenUrl: string): Pick<Tokens, 'zoom'> => ({
  async zoom({ account_id = '', client_id: user = '', client_secret: password = '' }) {
    const form = new URLSearchParams({ grant_type: 'account_credentials', account_id });
    const reply = (await ask(tokenUrl, form, { user, password })) as { access_token?: unknown; expires_in?: unknown };
    if (typeof reply.access_token !== 'string' || reply.access_token === '')
      throw new ProviderFailed('The answer to a request for an access token has none');
    return { token: reply.access_token, expiresInSeconds: typeof reply.expires_in === 'number' ? reply.expires_in : 0 };
  },
});
