import { expect, test } from '@jest/globals';
import { CalendarRefused, RateReached, sortedAnswer } from '../../../src/providers/calendar/error-codes.ts';
import { ProviderBusy, ProviderFailed, ProviderRefused, ProviderUnknown } from '../../../src/providers/errors.ts';
import { sortedAnswer as sortedVideo, VideoRefused } from '../../../src/providers/video/error-codes.ts';

const google = (status: number, reason: string, message: string) =>
  JSON.stringify({ error: { errors: [{ domain: 'global', reason, message }], code: status, message } });

const sortedBy = (status: number, reason: string, message = 'Said so', takesEffect = true) =>
  sortedAnswer({ status, body: google(status, reason, message), retryAfterMs: undefined, takesEffect });

test.each([
  [400, 'timeRangeEmpty', 'invalid'],
  [400, 'required', 'invalid'],
  [400, 'invalid', 'invalid'],
  [401, 'authError', 'auth'],
  [403, 'forbidden', 'forbidden'],
  [403, 'forbiddenForNonOrganizer', 'forbidden'],
  [403, 'insufficientPermissions', 'forbidden'],
  [403, 'requiredAccessLevel', 'forbidden'],
  [404, 'notFound', 'missing'],
  [409, 'duplicate', 'exists'],
  [410, 'deleted', 'deleted'],
  [410, 'fullSyncRequired', 'deleted'],
  [412, 'conditionNotMet', 'changed'],
  [418, 'teapot', 'invalid'],
])('%i %s of the calendar is refused as %s', (status, reason, refusal) => {
  const error = sortedBy(status, reason) as CalendarRefused;
  expect(error).toBeInstanceOf(CalendarRefused);
  expect(error.reason).toBe(refusal);
  expect(error.providerCode).toBe(reason);
  expect(error.message).toBe('Said so');
  expect(error.stopsChannel).toBe(refusal === 'auth' ? 'auth_error' : undefined);
});

test.each([
  [403, 'rateLimitExceeded'],
  [403, 'userRateLimitExceeded'],
  [403, 'quotaExceeded'],
  [429, 'rateLimitExceeded'],
  [429, ''],
])('%i %s of the calendar is busy, told or not for how long', (status, reason) => {
  const body = google(status, reason, 'Slow down');
  const untold = sortedAnswer({ status, body, retryAfterMs: undefined, takesEffect: true }) as RateReached;
  expect(untold).toBeInstanceOf(ProviderBusy);
  expect(untold.isTold).toBe(false);
  const told = sortedAnswer({ status, body, retryAfterMs: 7_000, takesEffect: true }) as RateReached;
  expect(told).toBeInstanceOf(RateReached);
  expect(told.isTold).toBe(true);
  expect(told.retryAfterMs).toBe(7_000);
  expect(told.scope).toBe('channel');
});

test.each([500, 502, 503, 504, 408])('%i leaves a question after a write, and none after a read', (status) => {
  expect(sortedBy(status, 'backendError')).toBeInstanceOf(ProviderUnknown);
  expect(sortedBy(status, 'backendError', 'Said so', false)).toBeInstanceOf(ProviderFailed);
});

test('a 400 about the video room is told from others', () => {
  expect((sortedBy(400, 'invalid', 'Invalid conference type value.') as CalendarRefused).reason).toBe('conference');
});

test.each([['<html>Forbidden</html>'], [''], ['[]'], ['{"error":"x"}'], ['null']])(
  'a 403 whose body is %j is refused, not busy',
  (body) => {
    const error = sortedAnswer({ status: 403, body, retryAfterMs: undefined, takesEffect: true }) as CalendarRefused;
    expect(error.reason).toBe('forbidden');
    expect(error.providerCode).toBe('http_403');
  },
);

test.each([
  [401, 124, 'auth'],
  [401, 4_700, 'auth'],
  [400, 124, 'auth'],
  [404, 3_001, 'missing'],
  [400, 300, 'refused'],
  [404, 1_001, 'refused'],
  [403, 200, 'refused'],
])('%i with the code %i of the video service is refused as %s', (status, code, reason) => {
  const body = JSON.stringify({ code, message: 'Said so' });
  const error = sortedVideo({ status, body, retryAfterMs: undefined, takesEffect: true }) as VideoRefused;
  expect(error).toBeInstanceOf(VideoRefused);
  expect(error).toBeInstanceOf(ProviderRefused);
  expect(error.reason).toBe(reason);
  expect(error.providerCode).toBe(String(code));
});

test('the video service at its rate is busy; its faults leave a question after a write alone', () => {
  const answer = { body: '{"code":429,"message":"Slow"}', retryAfterMs: 3_000 };
  expect(sortedVideo({ ...answer, status: 429, takesEffect: true })).toMatchObject({ retryAfterMs: 3_000, isTold: true });
  expect(sortedVideo({ ...answer, status: 500, takesEffect: true })).toBeInstanceOf(ProviderUnknown);
  expect(sortedVideo({ ...answer, status: 500, takesEffect: false })).toBeInstanceOf(ProviderFailed);
});
