export class CalendarError extends Error {
  readonly status: number;
  readonly reason: string;
  constructor(status: number, reason: string, message: string) {
    super(message);
    this.status = status;
    this.reason = reason;
  }
}

const byDefault: Record<number, [reason: string, message: string]> = {
  400: ['invalid', 'Bad Request'],
  401: ['authError', 'Invalid Credentials'],
  403: ['forbidden', 'Forbidden'],
  404: ['notFound', 'Not Found'],
  409: ['duplicate', 'The requested identifier already exists.'],
  410: ['deleted', 'Resource has been deleted'],
  412: ['conditionNotMet', 'Precondition Failed'],
  429: ['rateLimitExceeded', 'Rate Limit Exceeded'],
  503: ['backendError', 'Service Unavailable'],
};

const usageLimits = ['rateLimitExceeded', 'userRateLimitExceeded', 'quotaExceeded', 'calendarUsageLimitsExceeded'];

export const problem = (status: number, message?: string, reason?: string) => {
  const [known, words] = byDefault[status] ?? ['backendError', 'Backend Error'];
  return new CalendarError(status, reason ?? known, message ?? words);
};

export function errorBody(status: number, _code?: number, reason?: string): object {
  return bodyOf(problem(status, reason === undefined ? undefined : messageOf(reason), reason));
}

const messageOf = (reason: string) => (usageLimits.includes(reason) ? 'Rate Limit Exceeded' : reason);

/** As the service's page of errors has them. */
export function bodyOf({ status, reason, message }: CalendarError): object {
  const domain = usageLimits.includes(reason) ? 'usageLimits' : 'global';
  const place = {
    ...(status === 401 && { locationType: 'header', location: 'Authorization' }),
    ...(status === 412 && { locationType: 'header', location: 'If-Match' }),
  };
  return { error: { errors: [{ domain, reason, message, ...place }], code: status, message } };
}
