import { cut } from '../../platform/cut.ts';
import { ProviderBusy, type ProviderError, ProviderFailed, ProviderRefused } from '../errors.ts';

/** RFC 6749, 5.2: these are about the credentials; every other refusal is about the request. */
const ofCredentials = new Set(['invalid_grant', 'invalid_client', 'unauthorized_client', 'access_denied', 'deleted_client']);

const busyMs = 5_000;

type Reply = { error?: unknown; error_description?: unknown; reason?: unknown };

/** Final, wait or try again: a request for a token has no effect that could be unknown. */
export function sortedReply(status: number, body: string): ProviderError {
  const { error, error_description: description, reason } = parsed(body);
  const code = typeof error === 'string' && error !== '' ? cut(error, 100) : `http_${status}`;
  const said = [description, reason].find((text) => typeof text === 'string' && text !== '') ?? code;
  const message = `No access token: ${cut(String(said), 300)}`;
  if (status === 429) return new ProviderBusy(message, { code, retryAfterMs: busyMs, scope: 'channel' });
  if (status >= 500 || status === 408) return new ProviderFailed(message, { code });
  const isRefused = ofCredentials.has(code) || status === 401;
  return new ProviderRefused(message, { code, ...(isRefused && { stopsChannel: 'auth_error' }) });
}

function parsed(body: string): Reply {
  try {
    const reply: unknown = JSON.parse(body);
    return reply && typeof reply === 'object' ? reply : {};
  } catch {
    return {};
  }
}
