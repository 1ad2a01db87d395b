import { beforeAll, expect, test } from '@jest/globals';
import { useApp } from '../../support/app.ts';
import { type Person, person } from '../../support/factories/person.ts';

const app = useApp();
let ada: Person;

beforeAll(async () => {
  ada = await person(app.em(), app.tenant.organizationId);
});

const logIn = (body: object, headers: Record<string, string> = {}) => app.call('auth.login', { key: null, body, headers });

test('the right password opens a session', async () => {
  const { status, body, headers } = await logIn({ email: ada.email, password: ada.password });
  expect(status).toBe(200);
  expect(body).toEqual({
    data: {
      id: ada.userId,
      name: ada.name,
      email: ada.email,
      email_verified: true,
      timezone: 'UTC',
      week_start: 'monday',
      created_at: expect.any(String),
    },
  });
  const [cookie] = headers.getSetCookie();
  expect(cookie).toMatch(/^kanal_session=[A-Za-z0-9_-]{43}; Max-Age=1209600; Path=\/; HttpOnly; SameSite=Lax$/);
  const me = await app.call('auth.me.get', { key: null, headers: { cookie: cookie!.split(';')[0]! } });
  expect([me.status, me.body.data.role, me.body.data.organization_id]).toEqual([200, 'owner', app.tenant.organizationId]);
});

test.each([
  ['a wrong password', () => ({ email: ada.email, password: 'not the right one' })],
  ['an unknown email', () => ({ email: 'nobody@example.com', password: ada.password })],
])('%s: 401 in the problem style', async (_what, body) => {
  const { status, body: problem, headers } = await logIn(body());
  expect([status, problem]).toEqual([401, { title: 'Unauthorized', status: 401, detail: 'Email or password is wrong' }]);
  expect(headers.getSetCookie()).toEqual([]);
});
