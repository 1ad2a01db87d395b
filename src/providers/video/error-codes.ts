import { RateReached } from '../calendar/error-codes.ts';
import { type ProviderError, ProviderFailed, ProviderRefused, ProviderUnknown } from '../errors.ts';
import type { Answered } from '../json/client.ts';
import { object, textOf } from '../messaging-app/json.ts';

/** `missing`: the service has no such meeting. */
export class VideoRefused extends ProviderRefused {
  readonly reason: 'auth' | 'missing' | 'refused';
  constructor(message: string, { reason, code }: { reason: VideoRefused['reason']; code: string }) {
    super(message, { code, ...(reason === 'auth' && { stopsChannel: 'auth_error' as const }) });
    this.reason = reason;
  }
}

const invalidToken = '124';
const meetingMissing = '3001';

/** The service's own number decides where it gives one. */
export function sortedAnswer({ status, body, retryAfterMs, takesEffect }: Answered): ProviderError {
  const { code: number, message } = faultOf(body);
  const code = number || `http_${status}`;
  const text = message || `The video service answered ${status} without a reason`;
  if (status === 429) return new RateReached(text, { code, retryAfterMs });
  if (status >= 500 || status === 408)
    return takesEffect ? new ProviderUnknown(text, { code }) : new ProviderFailed(text, { code });
  if (number === invalidToken || status === 401) return new VideoRefused(text, { reason: 'auth', code });
  if (number === meetingMissing || (status === 404 && !number)) return new VideoRefused(text, { reason: 'missing', code });
  return new VideoRefused(text, { reason: 'refused', code });
}

function faultOf(body: string): { code: string; message: string } {
  try {
    const { code, message } = object(JSON.parse(body));
    return { code: textOf(code), message: textOf(message) };
  } catch {
    return { code: '', message: '' };
  }
}
