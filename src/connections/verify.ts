import { AppError } from '../platform/errors.ts';
import type { Credentials, Verified, Verifiers } from '../providers/connections.ts';
import { ProviderBusy, ProviderError, ProviderRefused } from '../providers/errors.ts';
import type { AccessToken, Tokens } from '../providers/tokens/provider.ts';
import { hasTokens, newToken } from './access-token.ts';
import type { ConnectionProvider } from './connection.entity.ts';

export type Ask = { tokens: Tokens; verify: Verifiers };
export type Tried = Verified & { token?: AccessToken };

type Given = { provider: ConnectionProvider; credentials: Credentials };

/** For a caller who waits: refused credentials are a 422 at their field, a provider that cannot be asked is a 503. */
export async function tryCredentials(ask: Ask, given: Given): Promise<Tried> {
  try {
    const token = hasTokens(given) ? await newToken(ask.tokens, given) : undefined;
    const verified = await ask.verify[given.provider](given.credentials, token?.token ?? '');
    return { ...verified, ...(token && { token }) };
  } catch (error) {
    throw forCaller(error);
  }
}

export function forCaller(error: unknown, field = 'credentials'): unknown {
  if (error instanceof ProviderRefused) {
    const { message, providerCode } = error;
    const detail = { field, location: 'body', message, ...(providerCode && { code: providerCode }) };
    return new AppError('provider_refused', message, { details: [detail], cause: error });
  }
  if (!(error instanceof ProviderError)) return error;
  const retryAfterSeconds = error instanceof ProviderBusy ? Math.ceil(error.retryAfterMs / 1000) : 5;
  return new AppError('unavailable', 'The provider cannot be reached; try again', { retryAfterSeconds, cause: error });
}
