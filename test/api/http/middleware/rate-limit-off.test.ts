import { describe, expect, test } from '@jest/globals';
import { useApp } from '../../../support/app.ts';

describe('with nothing else', () => {
  const app = useApp({ env: { RATE_LIMIT_PER_MINUTE: '0' } });

  test('with 0 there is no limit, and no reply speaks of one', async () => {
    expect(app.web.deps.limits.own).toBeUndefined();
    for (const key of [app.tenant.key, null]) {
      const { headers } = await app.raw('GET', '/v1/messages', { key });
      expect([headers.get('ratelimit'), headers.get('ratelimit-policy')]).toEqual([null, null]);
    }
  });
});

describe('with a ceiling for organizations', () => {
  const app = useApp({ env: { RATE_LIMIT_PER_MINUTE: '0', RATE_LIMIT_ORGANIZATION_PER_MINUTE: '5' } });

  test('it is held to by all keys of one together, and by no address', async () => {
    const { organizationId } = app.tenant;
    const list = async () => app.raw('GET', '/v1/messages', { key: (await app.key(organizationId, ['messages:read'])).key });
    for (const left of [4, 3, 2, 1, 0]) {
      const { status, headers } = await list();
      expect([status, headers.get('ratelimit-policy')]).toEqual([200, '"default";q=5;w=60']);
      expect(headers.get('ratelimit')).toMatch(new RegExp(`^"default";r=${left};t=\\d+$`));
    }
    const refused = await list();
    expect([refused.status, refused.body.error.code]).toEqual([429, 'rate_limited']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await app.raw('GET', '/v1/messages', { key: (await app.organization()).key })).status).toBe(200);
    for (let index = 0; index < 10; index += 1) {
      const { status, headers } = await app.raw('GET', '/v1/messages', { key: null });
      expect([status, headers.get('ratelimit')]).toEqual([401, null]);
    }
  });
});
