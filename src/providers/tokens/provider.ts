import type { Credentials } from '../connections.ts';

export type AccessToken = { token: string; expiresInSeconds: number };

export type Consent = { code: string; verifier: string; redirectUri: string };

/** Access tokens, where a provider wants them with each call in place of the credentials. A call may be repeated: an unused token harms nobody. */
export type Tokens = {
  google(credentials: Credentials): Promise<AccessToken>;
  zoom(credentials: Credentials): Promise<AccessToken>;
  /** What a person allowed on the consent page. */
  exchangeCode(consent: Consent): Promise<AccessToken & { refreshToken?: string }>;
};
