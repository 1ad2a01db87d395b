import { expect, test } from '@jest/globals';
import { useApp } from '../../support/app.ts';

const app = useApp({ env: { RATE_LIMIT_PER_MINUTE: '0' } });

test('with 0 there is no limit, and no reply speaks of one', async () => {
  expect(app.web.deps.limits.own).toBeUndefined();
  for (const key of [app.tenant.key, null]) {
    const { headers } = await app.raw('GET', '/v1/messages', { key });
    expect([headers.get('ratelimit'), headers.get('ratelimit-policy')]).toEqual([null, null]);
  }
});
