import { describe, expect, test } from '@jest/globals';
import { useApp } from '../../support/app.ts';
import { person, sessionHeaders } from '../../support/factories/person.ts';
import { listedActs } from '../../support/listed-acts.ts';
import { storedApiKeys } from '../../support/stored/accounts.ts';
import { storedConnectionConsents } from '../../support/stored/channels.ts';
import { ago, now } from '../../support/stored/times.ts';

const publicUrl = 'https://kanal.example.com';
const app = useApp({ env: { PUBLIC_URL: publicUrl } });
const returnUrl = 'https://app.example.com/settings';

const start = (key?: string, body: object = {}) =>
  app.call('connections.oauth.start', { key, body: { provider: 'google', return_url: returnUrl, ...body } });

/** What the person's browser brings back from the consent page. */
async function consented(authorizeUrl: string, consent: 'allow' | 'deny' = 'allow', hint?: string) {
  await app.control('POST', '/behaviour', { consent });
  const url = new URL(authorizeUrl);
  if (hint) url.searchParams.set('login_hint', hint);
  const page = await fetch(url, { redirect: 'manual' });
  expect(page.status).toBe(302);
  const back = new URL(page.headers.get('location')!);
  expect(back.origin + back.pathname).toBe(`${publicUrl}/v1/connections/oauth/callback`);
  return Object.fromEntries(back.searchParams) as { state: string; code?: string; error?: string };
}

const callback = (query: Record<string, string>, headers: Record<string, string> = {}) =>
  app.call('connections.oauth.callback', { key: null, query, headers });
const resultOf = (headers: Headers) => {
  const url = new URL(headers.get('location')!);
  expect(url.origin + url.pathname).toBe(returnUrl);
  return Object.fromEntries(url.searchParams);
};

describe('connecting by consent', () => {
  test('a person allows it, and comes back with the connection', async () => {
    const { body } = await start();
    const { status, headers } = await callback(await consented(body.authorize_url));
    expect(status).toBe(302);
    const { connection_id: id } = resultOf(headers);
    const made = await app.call('connections.get', { params: { connectionID: id! } });
    expect(made.body).toMatchObject({ provider: 'google', status: 'connected' });
    const acts = await listedActs(app, { subject: `connection:${id}` }, { columns: ['actor', 'action'] });
    expect(acts).toEqual([{ actor: `key:${app.tenant.keyId}`, action: 'connections.oauth.callback' }]);
  });

  test('it is used up by the first who brings it', async () => {
    const brought = await consented((await start()).body.authorize_url);
    const replies = await Promise.all([callback(brought), callback(brought), callback(brought)]);
    expect(replies.map(({ status }) => status).sort()).toEqual([302, 422, 422]);
  });

  test('it is over after ten minutes', async () => {
    const brought = await consented((await start()).body.authorize_url);
    await storedConnectionConsents.change(app, {}, { expires_at: ago(1, 'second') });
    const { status, body } = await callback(brought);
    expect(status).toBe(422);
    expect(body.error.details).toMatchObject([{ field: 'state', location: 'query' }]);
  });

  test('a state under the name of another organization is not known', async () => {
    const other = await app.organization();
    const brought = await consented((await start()).body.authorize_url);
    const [, secret] = brought.state.split('.');
    expect((await callback({ ...brought, state: `${other.organizationId}.${secret}` })).status).toBe(422);
    expect((await callback({ ...brought, state: 'nothing' })).status).toBe(422);
    expect((await callback(brought)).status).toBe(302);
  });

  test('a code of another consent does not fit', async () => {
    const first = await consented((await start()).body.authorize_url);
    const second = await consented((await start()).body.authorize_url);
    const { headers } = await callback({ ...first, code: second.code! });
    expect(resultOf(headers)).toEqual({ error: 'provider_refused' });
  });

  test('who says no brings that back', async () => {
    const { headers } = await callback(await consented((await start()).body.authorize_url, 'deny'));
    expect(resultOf(headers)).toEqual({ error: 'access_denied' });
  });

  test('the rights behind it are those of now', async () => {
    const { organizationId } = app.tenant;
    const { key, keyId } = await app.key(organizationId, ['connections:write']);
    const brought = await consented((await start(key)).body.authorize_url);
    await storedApiKeys.change(app, keyId, { revoked_at: now() });
    expect((await callback(brought)).status).toBe(403);
  });

  test.each(['javascript:alert(1)', 'https://me:secret@app.example.com/', 'ftp://app.example.com/', 'nothing'])(
    'nobody is sent back to %s',
    async (url) => {
      const { status, body } = await start(undefined, { return_url: url });
      expect(status).toBe(422);
      expect(body.error.details).toMatchObject([{ field: 'return_url' }]);
    },
  );
});

describe('a consent that a session began', () => {
  const inBrowser = async () => {
    const { userId } = await person(app.em(), app.tenant.organizationId);
    const { token } = await sessionHeaders(app.em(), userId, publicUrl);
    const session = `__Host-kanal_session=${token}`;
    const begin = (...more: string[]) => {
      const cookies = [session, ...more];
      return app.call('connections.oauth.start', {
        key: null,
        body: { provider: 'google', return_url: returnUrl },
        headers: { origin: publicUrl, cookie: cookies.join('; ') },
      });
    };
    return { begin };
  };

  test('comes back in the browser that has its cookie, and in no other', async () => {
    const { begin } = await inBrowser();
    const began = await begin();
    expect(began.status).toBe(200);
    const [set] = began.headers.getSetCookie();
    expect(set).toMatch(/^__Host-kanal_consent=[\w-]{43}; Max-Age=600; Path=\/; HttpOnly; Secure; SameSite=Lax$/);
    const brought = await consented(began.body.authorize_url);
    const other = (await (await inBrowser()).begin()).headers.getSetCookie()[0]!.split(';')[0]!;
    for (const refused of [await callback(brought), await callback(brought, { cookie: other })]) {
      expect(refused.status).toBe(422);
      expect(refused.body.error.details).toMatchObject([{ field: 'state', location: 'query' }]);
    }
    const { status, headers } = await callback(brought, { cookie: set!.split(';')[0]! });
    expect(status).toBe(302);
    expect(resultOf(headers).connection_id).toBeDefined();
  });

  test('two may be under way in one browser', async () => {
    const { begin } = await inBrowser();
    const first = await begin();
    const cookie = first.headers.getSetCookie()[0]!.split(';')[0]!;
    const second = await begin(cookie);
    expect(second.headers.getSetCookie()[0]!.split(';')[0]).toBe(cookie);
    for (const { body } of [second, first])
      expect((await callback(await consented(body.authorize_url), { cookie })).status).toBe(302);
  });
});
