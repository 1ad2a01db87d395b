import { ProviderBusy, type ProviderError, ProviderFailed, ProviderRefused, ProviderUnknown } from '../errors.ts';

/** What a refusal of a payment provider says, of either. */
export type Refusal = {
  provider: string;
  status: number;
  /** Empty: the body was none of the provider's. */
  code: string;
  message: string;
  retryAfterMs?: number;
  /** False: the call only reads, and nothing can have taken effect. */
  isWrite: boolean;
};

const shortWaitMs = 2_000;

/** The key is good, but may not do this: another key of the same account could. */
const restricted = new Set(['more_permissions_required', 'REQUEST_FORBIDDEN_ERROR', 'platform_account_required']);
const auth = new Set([
  ...['api_key_expired', 'invalid_api_key', 'secret_key_required', 'account_invalid'],
  ...['INVALID_API_KEY', 'UNAUTHORIZED_SENDER_IP', 'API_KEY_NOT_FOUND'],
]);
/** The first call under this key is still running, or a row there is locked: nothing was done for this one. */
const busy = new Set(['idempotency_key_in_use', 'lock_timeout', 'rate_limit', 'RATE_LIMIT_EXCEEDED']);
/** Refusals that a later try may pass. */
const transient = new Set(['REFUND_IN_PROGRESS', 'REFUND_TEMPORARILY_UNAVAILABLE', 'CHANNEL_UNAVAILABLE']);

/** By the provider's code first, else by the status. A 5xx with or without a reason may have taken effect. */
export function sortRefusal({ provider, status, code, message, retryAfterMs, isWrite }: Refusal): ProviderError {
  const options = { code: code || `http_${status}` };
  const text = message || `${provider} answered ${status} without a reason`;
  if (status === 401 || auth.has(code)) return new ProviderRefused(text, { ...options, stopsChannel: 'auth_error' });
  if (restricted.has(code)) return new ProviderRefused(text, { ...options, stopsChannel: 'restricted' });
  if (status === 429 || busy.has(code))
    return new ProviderBusy(text, { ...options, scope: 'channel', retryAfterMs: retryAfterMs ?? shortWaitMs });
  if (transient.has(code)) return new ProviderFailed(text, options);
  if (status >= 500 || status === 408 || status < 400)
    return isWrite ? new ProviderUnknown(text, options) : new ProviderFailed(text, options);
  return new ProviderRefused(text, options);
}
