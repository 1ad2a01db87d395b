import { beforeAll, expect, test } from '@jest/globals';
import { useApp } from '../../../support/app.ts';
import { person, sessionHeaders } from '../../../support/factories/person.ts';

const page = 'https://app.example.com';
const app = useApp({ env: { ALLOWED_ORIGINS: `${page},https://other.example.com` } });
let headers: { cookie: string; origin: string };

beforeAll(async () => {
  const { userId } = await person(app.em(), app.tenant.organizationId);
  ({ headers } = await sessionHeaders(app.em(), userId, page));
});

const allowed = (replied: Headers) => [
  replied.get('access-control-allow-origin'),
  replied.get('access-control-allow-credentials'),
];

test('a page of an allowed origin asks first, then changes something with its cookie and reads the reply', async () => {
  const asked = await app.raw('OPTIONS', '/v1/auth/me', {
    key: null,
    headers: { origin: page, 'access-control-request-method': 'PATCH', 'access-control-request-headers': 'content-type' },
  });
  expect([asked.status, ...allowed(asked.headers)]).toEqual([204, page, 'true']);
  expect(asked.headers.get('access-control-allow-methods')).toContain('PATCH');
  expect(asked.headers.get('access-control-allow-headers')).toBe('content-type');
  const { status, headers: replied } = await app.call('auth.me.update', { key: null, headers, body: { name: 'Ada' } });
  expect([status, ...allowed(replied)]).toEqual([200, page, 'true']);
  expect(replied.get('vary')).toContain('Origin');
  expect(replied.get('access-control-expose-headers')).toContain('Retry-After');
});

test.each(['https://evil.example.com', 'https://app.example.com.evil.com', 'http://app.example.com', 'null'])(
  'a page of %s may neither ask nor change',
  async (origin) => {
    const asked = await app.raw('OPTIONS', '/v1/auth/me', {
      key: null,
      headers: { origin, 'access-control-request-method': 'PATCH' },
    });
    expect(allowed(asked.headers)[0]).toBeNull();
    const { status, headers: replied } = await app.call('auth.me.update', {
      key: null,
      headers: { ...headers, origin },
      body: { name: 'Eve' },
    });
    expect([status, allowed(replied)[0]]).toEqual([403, null]);
  },
);
