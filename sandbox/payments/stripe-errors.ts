export type StripeFault = { type: string; message: string; code?: string; param?: string };

export class StripeError extends Error {
  readonly status: number;
  readonly fault: StripeFault;

  constructor(status: number, fault: StripeFault) {
    super(fault.message);
    this.status = status;
    this.fault = fault;
  }
}

const usual: Record<number, StripeFault> = {
  401: { type: 'invalid_request_error', message: 'Invalid API Key provided: sk_test_****' },
  403: {
    type: 'invalid_request_error',
    code: 'more_permissions_required',
    message: 'The provided key does not have the required permissions for this endpoint.',
  },
  409: { type: 'idempotency_error', code: 'idempotency_key_in_use', message: 'There is another request in progress using it.' },
  429: { type: 'invalid_request_error', code: 'rate_limit', message: 'Request rate limit exceeded.' },
};

export const stripeBody = (fault: StripeFault) => ({ error: fault });

/** For a fault that a test asked for. */
export const stripeFault = (status: number) =>
  stripeBody(usual[status] ?? { type: 'api_error', message: 'An unknown error occurred' });

export const noSuch = (kind: string, id: string, param = 'id') =>
  new StripeError(404, {
    type: 'invalid_request_error',
    code: 'resource_missing',
    message: `No such ${kind}: '${id}'`,
    param,
  });
