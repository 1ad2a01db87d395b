import { describe, expect, test } from '@jest/globals';
import { ProviderFailed } from '../../../src/providers/errors.ts';
import type { GraphClient } from '../../../src/providers/messaging-app/client.ts';
import { graphMessagingApp } from '../../../src/providers/messaging-app/graph.ts';

const account = { phoneNumberId: '1', accountId: '2', accessToken: 't' };

function answering(reply: unknown) {
  const asked: unknown[] = [];
  const get: GraphClient['get'] = async (...given) => {
    asked.push(given);
    return reply;
  };
  return { app: graphMessagingApp({ get } as GraphClient), asked };
}
const thrown = (work: Promise<unknown>) => work.catch((error: unknown) => error);

describe('the health of a number', () => {
  test('is read in one call, in small letters', async () => {
    const { app, asked } = answering({
      id: '1',
      verified_name: 'Shop',
      name_status: 'APPROVED',
      quality_rating: 'GREEN',
      messaging_limit_tier: 'TIER_1K',
      throughput: { level: 'STANDARD' },
    });
    expect(await app.readHealth(account)).toEqual({
      verifiedName: 'Shop',
      nameStatus: 'approved',
      quality: 'green',
      messagingLimit: 'tier_1k',
      throughput: 'standard',
    });
    const fields = 'id,verified_name,name_status,quality_rating,messaging_limit_tier,throughput';
    expect(asked).toEqual([['1', 't', { fields }]]);
  });

  test('what the provider does not say is empty', async () => {
    const empty = { verifiedName: '', nameStatus: '', quality: '', messagingLimit: '', throughput: '' };
    expect(await answering({ id: '1', throughput: null }).app.readHealth(account)).toEqual(empty);
  });

  test.each([[null], [[]], ['OK'], [{}], [{ quality_rating: 'GREEN' }]])('%j is no number', async (reply) => {
    expect(await thrown(answering(reply).app.readHealth(account))).toBeInstanceOf(ProviderFailed);
  });
});

describe("whether an account's webhooks come to an app", () => {
  test.each([
    [[{ whatsapp_business_api_data: { id: '9', name: 'Kanal', link: 'https://example.com' } }], true],
    [[], false],
  ])('%j: %s', async (data, isSubscribed) => {
    const { app, asked } = answering({ data });
    expect(await app.isSubscribed(account)).toBe(isSubscribed);
    expect(asked).toEqual([['2/subscribed_apps', 't']]);
  });

  test('an answer that is no list says neither', async () => {
    expect(await thrown(answering({ data: null }).app.isSubscribed(account))).toBeInstanceOf(ProviderFailed);
  });
});
