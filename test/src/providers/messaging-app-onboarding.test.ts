import { describe, expect, test } from '@jest/globals';
import { ProviderBusy, ProviderFailed, ProviderRefused } from '../../../src/providers/errors.ts';
import type { GraphClient } from '../../../src/providers/messaging-app/client.ts';
import { onboardingCalls } from '../../../src/providers/messaging-app/onboarding-calls.ts';

const account = { phoneNumberId: '1', accountId: '2', accessToken: 'token' };
const app = { id: '7', secret: 'the-secret' };
type Call = [method: string, path: string, token: string | undefined, body: unknown];

/** A provider that answers each call alike, or throws. */
function answering(answer: unknown) {
  const calls: Call[] = [];
  const reply = (method: string) => async (path: string, token: string | undefined, body: unknown) => {
    calls.push([method, path, token, body]);
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const client = { get: reply('GET'), post: reply('POST') } as unknown as GraphClient;
  return { calls, of: (ours: typeof app | undefined = app) => onboardingCalls(client, ours) };
}

test('the calls, as the provider describes them', async () => {
  const taking = answering({ success: true, access_token: 'business', data: [] });
  const provider = taking.of();
  expect(await provider.exchangeCode('AQ1')).toBe('business');
  await provider.subscribeApp(account);
  expect(await provider.isAppSubscribed(account)).toBe(false);
  await provider.registerNumber(account, '123456');
  expect(taking.calls).toEqual([
    ['GET', 'oauth/access_token', undefined, { client_id: '7', client_secret: 'the-secret', code: 'AQ1' }],
    ['POST', '2/subscribed_apps', 'token', {}],
    ['GET', '2/subscribed_apps', 'token', undefined],
    ['POST', '1/register', 'token', { messaging_product: 'whatsapp', pin: '123456' }],
  ]);
});

describe('what is no answer is asked for again', () => {
  test.each([{}, { access_token: '' }, { access_token: 5 }, { access_token: 'a b' }, { access_token: 'a\n' }, 'token', null])(
    '%j for a token',
    async (answer) => {
      await expect(answering(answer).of().exchangeCode('x')).rejects.toBeInstanceOf(ProviderFailed);
    },
  );

  test.each([{}, { success: false }, null])('%j for a change', async (answer) => {
    const provider = answering(answer).of();
    await expect(provider.subscribeApp(account)).rejects.toBeInstanceOf(ProviderFailed);
    await expect(provider.registerNumber(account, '123456')).rejects.toBeInstanceOf(ProviderFailed);
  });

  test.each([{}, { data: {} }, null])('%j for a list of apps', async (answer) => {
    await expect(answering(answer).of().isAppSubscribed(account)).rejects.toBeInstanceOf(ProviderFailed);
  });
});

test('our app among others is found by its id, whichever type that has; an entry of another form is not', async () => {
  const listed = (...ids: unknown[]) => answering({ data: ids.map((id) => ({ whatsapp_business_api_data: { id } })) }).of();
  expect(await listed('6', '7').isAppSubscribed(account)).toBe(true);
  expect(await listed(7).isAppSubscribed(account)).toBe(true);
  expect(await listed('6', null).isAppSubscribed(account)).toBe(false);
  expect(
    await answering({ data: [null, {}, 'x'] })
      .of()
      .isAppSubscribed(account),
  ).toBe(false);
});

test('without an app of the installation nothing is asked', async () => {
  const provider = onboardingCalls({} as GraphClient, undefined);
  for (const call of [provider.exchangeCode('x'), provider.isAppSubscribed(account)])
    await expect(call).rejects.toMatchObject({ providerCode: 'no_app', message: expect.stringContaining('MESSAGING_APP_ID') });
});

test('only the limit of registrations is final: each further try would count', async () => {
  const busy = (code: string) => new ProviderBusy('Slow down', { code, retryAfterMs: 60_000, scope: 'channel' });
  const registering = (code: string) => answering(busy(code)).of().registerNumber(account, '123456');
  await expect(registering('133016')).rejects.toBeInstanceOf(ProviderRefused);
  await expect(registering('80007')).rejects.toBeInstanceOf(ProviderBusy);
});
