import { JWT, OAuth2Client, type OAuth2ClientOptions } from 'google-auth-library';
import type { Credentials } from '../connections.ts';
import { ProviderError, ProviderFailed, ProviderRefused } from '../errors.ts';
import type { AskToken } from './client.ts';
import type { AccessToken, Tokens } from './provider.ts';

/** Events, the list of calendars, and what is busy. */
export const calendarScope = 'https://www.googleapis.com/auth/calendar';

export type GoogleApp = { tokenUrl: string; clientId?: string; clientSecret?: string };

type Sent = { data?: unknown };
type Given = { access_token?: string | null; expiry_date?: number | null; refresh_token?: string | null };

/** The library builds and signs the requests; they are sent by our client, to the address of the configuration only. */
export function googleTokens(
  ask: AskToken,
  { tokenUrl, clientId, clientSecret }: GoogleApp,
): Pick<Tokens, 'google' | 'exchangeCode'> {
  const transporter = {
    request: async ({ data }: Sent) => ({ data: await ask(tokenUrl, data as URLSearchParams) }),
  } as unknown as OAuth2ClientOptions['transporter'];
  const common = { transporter, useAuthRequestParameters: false };
  const client = (id = clientId, secret = clientSecret) =>
    new OAuth2Client({ ...common, clientId: id, clientSecret: secret, endpoints: { oauth2TokenUrl: tokenUrl } });

  async function byRefreshToken({ refresh_token, client_id, client_secret }: Credentials): Promise<Given> {
    const one = client(client_id, client_secret);
    one.setCredentials({ refresh_token });
    return (await one.refreshAccessToken()).credentials;
  }

  async function byServiceAccount({ client_email: email, private_key: key, subject }: Credentials): Promise<Given> {
    return new JWT({ ...common, email, key, scopes: [calendarScope], ...(subject && { subject }) }).authorize();
  }

  return {
    google: (credentials) =>
      sorted(async () => tokenOf(await (credentials.private_key ? byServiceAccount(credentials) : byRefreshToken(credentials)))),
    exchangeCode: ({ code, verifier, redirectUri }) =>
      sorted(async () => {
        const { tokens } = await client().getToken({ code, codeVerifier: verifier, redirect_uri: redirectUri });
        return { ...tokenOf(tokens), ...(tokens.refresh_token && { refreshToken: tokens.refresh_token }) };
      }),
  };
}

/** Their errors carry the request, and with it the credentials: only the message goes on. */
async function sorted<Answer>(work: () => Promise<Answer>): Promise<Answer> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ProviderError) throw error;
    throw new ProviderRefused('No access token: the private key cannot be read', {
      code: 'invalid_key',
      stopsChannel: 'auth_error',
    });
  }
}

function tokenOf({ access_token: token, expiry_date: expiresAt }: Given): AccessToken {
  if (!token || typeof token !== 'string') throw new ProviderFailed('The answer to a request for an access token has none');
  return { token, expiresInSeconds: expiresAt ? Math.max(0, (expiresAt - Date.now()) / 1000) : 0 };
}
