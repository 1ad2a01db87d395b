import { expect, test } from '@jest/globals';
import { ProviderBusy, ProviderFailed, ProviderRefused, ProviderUnknown } from '../../../../src/providers/errors.ts';
import { sortRefusal } from '../../../../src/providers/payment/error-codes.ts';

const kinds = { refused: ProviderRefused, busy: ProviderBusy, unknown: ProviderUnknown, failed: ProviderFailed };

test.each([
  [401, '', true, 'refused', 'auth_error'],
  [400, 'api_key_expired', true, 'refused', 'auth_error'],
  [403, 'INVALID_API_KEY', false, 'refused', 'auth_error'],
  [403, 'more_permissions_required', true, 'refused', 'restricted'],
  [403, 'REQUEST_FORBIDDEN_ERROR', false, 'refused', 'restricted'],
  [403, '', true, 'refused', undefined],
  [400, 'amount_too_small', true, 'refused', undefined],
  [404, 'resource_missing', false, 'refused', undefined],
  [400, 'MAXIMUM_REFUND_AMOUNT_REACHED', true, 'refused', undefined],
  [409, 'idempotency_key_in_use', true, 'busy', undefined],
  [400, 'rate_limit', true, 'busy', undefined],
  [429, '', false, 'busy', undefined],
  [400, 'REFUND_IN_PROGRESS', true, 'failed', undefined],
  [500, 'api_error', true, 'unknown', undefined],
  [503, '', true, 'unknown', undefined],
  [408, '', true, 'unknown', undefined],
  [302, '', true, 'unknown', undefined],
  [500, 'api_error', false, 'failed', undefined],
  [302, '', false, 'failed', undefined],
] as const)('%s %s, writes: %s → %s', (status, code, isWrite, kind, stops) => {
  const sorted = sortRefusal({ provider: 'Stripe', status, code, message: '', isWrite });
  expect(sorted).toBeInstanceOf(kinds[kind]);
  expect((sorted as ProviderRefused).stopsChannel).toBe(stops);
});

test('what the provider says to wait is waited', () => {
  const sorted = sortRefusal({ provider: 'Xendit', status: 429, code: '', message: '', isWrite: true, retryAfterMs: 7_000 });
  expect((sorted as ProviderBusy).retryAfterMs).toBe(7_000);
});
