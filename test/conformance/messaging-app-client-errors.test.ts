import { describe, expect, test } from '@jest/globals';
import { GraphApiError } from '@kapso/whatsapp-cloud-api';
import { errorCodes } from '../../sandbox/graph/error-codes.ts';
import { ProviderBusy, ProviderFailed, ProviderRefused } from '../../src/providers/errors.ts';
import { sortedError } from '../../src/providers/messaging-app/error-codes.ts';
import { phoneNumberId, useHouse, user } from '../sandbox/house.ts';
import { clientFor } from './client.ts';

const house = useHouse();
const send = (accessToken?: string) => clientFor(house, accessToken).messages.sendText({ phoneNumberId, to: user, body: 'Hi' });
const refusal = (work: Promise<unknown>): Promise<GraphApiError> =>
  work.then(
    () => {
      throw new Error('It was accepted');
    },
    (error) => error,
  );
const asked = async (code: number, status = errorCodes[code]!.http) => {
  await house.control('faults', { kind: 'status', status, code });
  return refusal(send());
};
const codes = Object.keys(errorCodes).map(Number);

test.each(codes)('code %i is understood', async (code) => {
  const error = await asked(code);
  expect(error).toBeInstanceOf(GraphApiError);
  expect(error).toMatchObject({
    code,
    httpStatus: errorCodes[code]!.http,
    type: errorCodes[code]!.type ?? 'OAuthException',
    fbtraceId: expect.stringMatching(/^A/),
    message: expect.stringContaining(errorCodes[code]!.title),
  });
  expect(error.category).not.toBe('unknown');
});

describe('the client and our adapter draw the same conclusion', () => {
  /**
   * A limit on registering: to the client a matter of registration, to us something to wait for. A country the number may not write to: to the
   * client the account's standing, to us this message's alone (docs/decisions/0027).
   */
  const differently = [133016, 130497];
  test.each(codes.filter((code) => !differently.includes(code)))('of code %i', async (code) => {
    const { category } = await asked(code);
    const ours = sortedError({ code, message: 'No' });
    const stops = ours instanceof ProviderRefused ? ours.stopsChannel : undefined;
    const wanted = {
      authorization: stops === 'auth_error',
      throttling: ours instanceof ProviderBusy,
      integrity: stops === 'restricted',
    };
    expect({ category, isRight: wanted[category as keyof typeof wanted] ?? true }).toEqual({ category, isRight: true });
    if (ours instanceof ProviderFailed) expect(['server', 'parameter']).toContain(category);
    if (ours instanceof ProviderBusy) expect(category).toBe('throttling');
  });
});

describe('what the sandbox refuses by itself', () => {
  test('a token nobody has', async () => {
    const error = await refusal(send('nobody'));
    expect([error.isAuthError(), error.requiresTokenRefresh(), error.retry.action]).toEqual([true, true, 'refresh_token']);
  });

  test('more than its rate', async () => {
    await house.control('behaviour', { mps: 1 });
    await send();
    const error = await refusal(send());
    expect([error.code, error.isRateLimit(), error.retry.action]).toEqual([130429, true, 'retry_after']);
  });

  test('a text to a closed window, with its details', async () => {
    await house.control('behaviour', { window: 'sync' });
    expect(await refusal(send())).toMatchObject({ code: 131047, category: 'reengagementWindow' });
  });

  test('a template that is not there', async () => {
    const template = { name: 'nothing', language: { code: 'en_US' } };
    const error = await refusal(clientFor(house).messages.sendTemplate({ phoneNumberId, to: user, template }));
    expect([error.code, error.isTemplateError(), error.details]).toEqual([132001, true, expect.stringContaining('nothing')]);
  });

  test('media nobody uploaded', async () => {
    const error = await refusal(clientFor(house).messages.sendImage({ phoneNumberId, to: user, image: { id: '1' } }));
    expect(error).toMatchObject({ code: 100, category: 'parameter' });
  });

  test('a number that is not ours', async () => {
    const error = await refusal(clientFor(house).messages.sendText({ phoneNumberId: '9', to: user, body: 'Hi' }));
    expect(error).toMatchObject({ code: 100, errorSubcode: 33, type: 'GraphMethodException', category: 'parameter' });
  });

  test('a connection that ends is no answer', async () => {
    await house.control('faults', { kind: 'drop_before' });
    expect(await refusal(send())).not.toBeInstanceOf(GraphApiError);
  });
});
