import { ProviderBusy, type ProviderError, ProviderFailed, ProviderRefused, ProviderUnknown } from '../errors.ts';
import type { Answered } from '../json/client.ts';
import { object, textOf } from '../messaging-app/json.ts';

/**
 * `missing`: no such calendar or entry. `deleted`: the entry was. `exists`: the id is taken. `changed`: the etag is another. `conference`: this
 * account can make no video rooms.
 */
export type CalendarRefusal = 'auth' | 'forbidden' | 'missing' | 'exists' | 'deleted' | 'changed' | 'conference' | 'invalid';

export class CalendarRefused extends ProviderRefused {
  readonly reason: CalendarRefusal;
  constructor(message: string, { reason, code }: { reason: CalendarRefusal; code: string }) {
    super(message, { code, ...(reason === 'auth' && { stopsChannel: 'auth_error' as const }) });
    this.reason = reason;
  }
}

/** The limit is the account's, or our app's: everything of this connection waits. */
export class RateReached extends ProviderBusy {
  /** False: the service did not say how long. */
  readonly isTold: boolean;
  constructor(message: string, { code, retryAfterMs }: { code: string; retryAfterMs: number | undefined }) {
    super(message, { code, scope: 'channel', retryAfterMs: retryAfterMs ?? 1_000 });
    this.isTold = retryAfterMs !== undefined;
  }
}

/** With these reasons a 403 says the same as a 429. */
const ratesReached = ['rateLimitExceeded', 'userRateLimitExceeded', 'quotaExceeded'];

const refusals: Partial<Record<number, CalendarRefusal>> = {
  400: 'invalid',
  401: 'auth',
  403: 'forbidden',
  404: 'missing',
  409: 'exists',
  410: 'deleted',
  412: 'changed',
};

/** Status and reason decide; the text only tells which 400 is about the video room, as nothing else does. */
export function sortedAnswer({ status, body, retryAfterMs, takesEffect }: Answered): ProviderError {
  const { reason, message } = faultOf(body);
  const code = reason || `http_${status}`;
  const text = message || `The calendar answered ${status} without a reason`;
  if (status === 429 || (status === 403 && ratesReached.includes(reason))) return new RateReached(text, { code, retryAfterMs });
  if (status >= 500 || status === 408)
    return takesEffect ? new ProviderUnknown(text, { code }) : new ProviderFailed(text, { code });
  const known = refusals[status] ?? 'invalid';
  const isOfConference = known === 'invalid' && /conference/i.test(message);
  return new CalendarRefused(text, { reason: isOfConference ? 'conference' : known, code });
}

function faultOf(body: string): { reason: string; message: string } {
  try {
    const { errors, message } = object(object(JSON.parse(body)).error);
    const [first] = Array.isArray(errors) ? errors : [];
    return { reason: textOf(object(first).reason), message: textOf(message) };
  } catch {
    return { reason: '', message: '' };
  }
}
