import { describe, expect, test } from '@jest/globals';
import { askHealth } from '../../../src/channels/check.ts';
import { ProviderFailed, ProviderRefused } from '../../../src/providers/errors.ts';
import type { MessagingApp } from '../../../src/providers/messaging-app/provider.ts';

const account = {
  id: 'c',
  phoneNumberId: '1',
  accountId: '2',
  accessToken: 't',
  sealedToken: 's',
  status: 'connected' as const,
};
const number = { verifiedName: 'Shop', nameStatus: 'approved', quality: 'green', messagingLimit: 'tier_1k', throughput: 'high' };
type Answers = { readHealth?: unknown; isSubscribed?: unknown };

const answering = (answer: unknown) => async () => {
  if (answer instanceof Error) throw answer;
  return answer;
};
const ask = ({ readHealth = number, isSubscribed = true }: Answers) =>
  askHealth(
    { readHealth: answering(readHealth), isSubscribed: answering(isSubscribed) } as unknown as MessagingApp,
    account,
  ).catch((error) => error);

const refused = new ProviderRefused('No permission', { code: '200' });
const invalid = new ProviderRefused('Token expired', { code: '190', stopsChannel: 'auth_error' });

describe('asking the provider for the health of a channel', () => {
  test.each([true, false])('tells whether the webhooks are subscribed: %s', async (isSubscribed) => {
    expect(await ask({ isSubscribed })).toEqual({
      token_state: 'valid',
      quality: 'green',
      messaging_limit: 'tier_1k',
      throughput: 'high',
      verified_name: 'Shop',
      name_status: 'approved',
      is_subscribed: isSubscribed,
      problem: '',
    });
  });

  test('a token that may not ask about webhooks leaves that unknown', async () => {
    expect(await ask({ isSubscribed: refused })).toMatchObject({ token_state: 'valid', is_subscribed: null, problem: '' });
  });

  test('an unknown quality is unknown', async () => {
    expect(await ask({ readHealth: { ...number, quality: 'na' } })).toMatchObject({ quality: 'unknown' });
  });

  test('a refusal about the number is kept in its words, and says nothing of the token', async () => {
    expect(await ask({ readHealth: new ProviderRefused('x'.repeat(2_000)) })).toEqual({ problem: 'x'.repeat(500) });
  });

  test.each([
    ['the number', { readHealth: invalid }],
    ['the webhooks', { isSubscribed: invalid }],
  ])('a refused token is thrown, whether it was for %s', async (_what, answers) => {
    expect(await ask(answers)).toBe(invalid);
  });

  test.each(['readHealth', 'isSubscribed'])('what may pass is thrown, to be tried again: %s', async (call) => {
    const away = new ProviderFailed('away');
    expect(await ask({ [call]: away })).toBe(away);
  });
});
