import { describe, expect, test } from '@jest/globals';
import { ProviderBusy, ProviderFailed, ProviderRefused } from '../../../src/providers/errors.ts';
import { sortedError } from '../../../src/providers/messaging-app/error-codes.ts';

const sorted = (code: number, retryAfterMs?: number) => sortedError({ code, message: 'No' }, retryAfterMs);

test.each([0, 104, 190])('%i: the token is no good', (code) => {
  expect(sorted(code)).toMatchObject({ stopsChannel: 'auth_error', providerCode: String(code) });
});

test.each([131031, 368, 131037, 131042, 133010])('%i: the number may not send', (code) => {
  expect(sorted(code)).toMatchObject({ stopsChannel: 'restricted' });
});

test.each([
  3, 10, 200, 299, 33, 100, 131008, 131009, 131021, 131026, 131030, 131047, 131049, 131050, 131051, 131052, 131053, 131062,
  130497, 132000, 132001, 132005, 132007, 132012, 132015, 132016, 132068, 132069, 803, 999999,
])('%i: final, and this message alone', (code) => {
  const error = sorted(code);
  expect(error).toBeInstanceOf(ProviderRefused);
  expect((error as ProviderRefused).stopsChannel).toBeUndefined();
});

test.each([1, 2, 131000, 131016, 133004, 131057])('%i: may pass', (code) => {
  expect(sorted(code)).toBeInstanceOf(ProviderFailed);
});

describe('busy', () => {
  test.each([4, 17, 80007, 130429, 131048, 133016])('%i: the whole channel waits', (code) => {
    const error = sorted(code) as ProviderBusy;
    expect(error).toBeInstanceOf(ProviderBusy);
    expect(error.scope).toBe('channel');
    expect(error.retryAfterMs).toBeGreaterThanOrEqual(1_000);
  });

  test('131056: one recipient waits, the 6 seconds of a pair', () => {
    expect(sorted(131056)).toMatchObject({ scope: 'recipient', retryAfterMs: 6_000 });
  });

  test('what the provider says itself goes before our guess', () => {
    expect(sorted(130429, 30_000)).toMatchObject({ retryAfterMs: 30_000 });
    expect(sorted(131056, 1_000)).toMatchObject({ retryAfterMs: 1_000 });
  });
});
