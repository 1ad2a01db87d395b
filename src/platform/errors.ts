export const errorCodes = {
  bad_request: 400,
  unauthorized: 401,
  forbidden: 403,
  session_required: 403,
  origin_not_allowed: 403,
  not_found: 404,
  conflict: 409,
  request_in_progress: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  range_not_satisfiable: 416,
  invalid_request: 422,
  idempotency_mismatch: 422,
  window_closed: 422,
  template_unknown: 422,
  flow_unavailable: 422,
  suppressed: 422,
  consent_required: 422,
  provider_refused: 422,
  endpoint_refused: 422,
  limit_reached: 422,
  endpoint_disabled: 422,
  step_not_ready: 422,
  flow_invalid: 422,
  render_failed: 422,
  booking_required: 422,
  connection_required: 422,
  discount_invalid: 422,
  quote_expired: 422,
  connection_unavailable: 409,
  out_of_stock: 409,
  slot_taken: 409,
  rate_limited: 429,
  internal: 500,
  unavailable: 503,
  // The provider's own, for endpoints of flows: what the phone does next depends on them.
  key_unknown: 421,
  signature_invalid: 432,
  endpoint_failed: 502,
} as const;

export type ErrorCode = keyof typeof errorCodes;

/** A reply lists at most this many faults; its message has the total. */
export const maxDetails = 100;

export type ErrorDetail = { message: string; code?: string; field?: string; location?: string; value?: string };

export type Path = (string | number)[];

export const fieldOf = (path: Path) =>
  path.reduce<string>((text, step) => (typeof step === 'number' ? `${text}[${step}]` : text ? `${text}.${step}` : step), '');

/** An error that the API client may read. Any other error is a 500 without details. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly details?: ErrorDetail[];
  readonly retryAfterSeconds?: number;
  /** Of the reply. */
  readonly headers?: Record<string, string>;

  constructor(
    code: ErrorCode,
    message: string,
    more: { details?: ErrorDetail[]; retryAfterSeconds?: number; headers?: Record<string, string>; cause?: unknown } = {},
  ) {
    super(message, { cause: more.cause });
    this.code = code;
    this.status = errorCodes[code];
    this.details = more.details;
    this.retryAfterSeconds = more.retryAfterSeconds;
    this.headers = more.headers;
  }
}

export const notFound = (subject: string) => new AppError('not_found', `${subject} not found`);

export const invalidField = (field: string, message: string, code = 'invalid', location = 'body') =>
  new AppError('invalid_request', message, { details: [{ field, location, code, message }] });
