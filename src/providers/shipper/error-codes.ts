import { cut } from '../../platform/cut.ts';
import { ProviderBusy, type ProviderError, ProviderFailed, ProviderRefused, ProviderUnknown } from '../errors.ts';
import { object, textOf } from '../messaging-app/json.ts';

/** `takesEffect`: a call after which, without an answer, nobody knows whether it was done. */
export type Answered = { status: number; body: string; retryAfterMs?: number; takesEffect: boolean };

/** Refused with the credentials, whatever is asked: no such key, not activated, something is wrong with it. */
const authCodes = new Set(['40002001', '40002002', '40002003', '40100001', '40300001']);

/** Of an order of one reference, when there is one already. */
export class DuplicateReference extends ProviderRefused {
  readonly orderId: string;
  readonly reference: string;
  constructor(message: string, code: string, { orderId, reference }: { orderId: string; reference: string }) {
    super(message, { code });
    this.orderId = orderId;
    this.reference = reference;
  }
}

const largestWaitMs = 300_000;
const usualWaitMs = 2_000;

/** The HTTP status decides, the code refines it. Its numbers stand in the shipper's lists of errors for orders, rates and maps. */
export function sortedAnswer({ status, body, retryAfterMs, takesEffect }: Answered): ProviderError {
  const { code, message, details } = readFault(body);
  const options = { code: code || `http_${status}` };
  const text = message || `The shipper answered ${status} without a reason`;
  if (status === 429)
    return new ProviderBusy(text, {
      ...options,
      scope: 'channel',
      retryAfterMs: Math.min(retryAfterMs ?? usualWaitMs, largestWaitMs),
    });
  if (status >= 500 || status === 408)
    return takesEffect ? new ProviderUnknown(text, options) : new ProviderFailed(text, options);
  if (status < 400) return new ProviderRefused(`The shipper answered ${status}`, options);
  if (status === 401 || status === 403 || authCodes.has(code))
    return new ProviderRefused(text, { ...options, stopsChannel: 'auth_error' });
  const orderId = textOf(details.order_id);
  if (orderId) return new DuplicateReference(text, options.code, { orderId, reference: textOf(details.reference_id) });
  return new ProviderRefused(text, options);
}

/** There is no such order. */
export const saysGone = (error: unknown) =>
  error instanceof ProviderRefused && ['http_404', '40003001', '40400001'].includes(error.providerCode ?? '');

function readFault(body: string) {
  const reply = object(parsed(body));
  return { code: textOf(reply.code), message: cut(textOf(reply.error), 500), details: object(reply.details) };
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
