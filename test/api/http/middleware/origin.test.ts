import { beforeAll, expect, test } from '@jest/globals';
import { uuidv7 } from '../../../../src/platform/ids.ts';
import { useApp } from '../../../support/app.ts';
import { type Definition, definitions } from '../../../support/contract.ts';
import { exampleBody, paramNamesOf } from '../../../support/examples.ts';
import { bearerToken, person, sessionHeaders } from '../../../support/factories/person.ts';
import { ownedRecords } from '../../../support/owned.ts';
import { storedState } from '../../../support/stored.ts';
import { roundTrips } from '../../../support/turns.ts';
import { waitFor } from '../../../support/wait-for.ts';

/** A page elsewhere can make a browser send the session's cookie. It must not change anything with it. */
const publicUrl = 'https://kanal.example';
const app = useApp({
  env: {
    RATE_LIMIT_PER_MINUTE: '0',
    PUBLIC_URL: `${publicUrl}/`,
    ALLOWED_ORIGINS: 'https://desk.example, http://localhost:5173',
  },
});

type Headers = Record<string, string>;
let userId: string;
let owned: Record<string, string>;
/** Read late: the port is known once the app has started. */
let foreignPages: Record<string, Headers>;
let ownPages: Record<string, Headers>;

beforeAll(async () => {
  owned = await ownedRecords(app);
  ({ userId } = await person(app.em(), app.tenant.organizationId));
  // The pools of what was made are filled a moment later: no change of a foreign page.
  await waitFor('what was begun to be over', async () => {
    const state = await storedState(app);
    await roundTrips((text) => app.rows(text), 100);
    return (await storedState(app)) === state;
  });
  const { host, port } = new URL(app.base);
  foreignPages = {
    'nothing said': {},
    'another site': { origin: 'https://evil.example' },
    'no page at all': { origin: 'null' },
    'no origin': { origin: '' },
    'a word': { origin: 'kanal' },
    'a name that begins with ours': { origin: `http://${host}.evil.example` },
    'a name that begins with the public one': { origin: `${publicUrl}.evil.example` },
    'a name that ends with the public one': { origin: 'https://evilkanal.example' },
    'a name below the public one': { origin: 'https://blog.kanal.example' },
    'our name as its user': { origin: `http://${host}@evil.example` },
    'our name in its path': { origin: `https://evil.example/${host}` },
    'this host in the clear': { origin: app.base },
    'another port of this host': { origin: `http://127.0.0.1:${Number(port) - 1}` },
    'this host without its port': { origin: 'http://127.0.0.1' },
    'the public address in the clear': { origin: 'http://kanal.example' },
    'another port of the public address': { origin: `${publicUrl}:8443` },
    'an allowed one in the clear': { origin: 'http://desk.example' },
    'another port of an allowed one': { origin: 'http://localhost:5174' },
    'two origins': { origin: `https://evil.example ${app.base}` },
    'a browser that says cross-site': { 'sec-fetch-site': 'cross-site' },
    'a browser that says same-site': { 'sec-fetch-site': 'same-site' },
    'a browser that says none': { 'sec-fetch-site': 'none' },
    'our origin, and cross-site': { origin: app.base, 'sec-fetch-site': 'cross-site' },
    'our origin, and same-site': { origin: app.base, 'sec-fetch-site': 'same-site' },
    'a referrer only': { referer: `${app.base}/docs` },
  };
  ownPages = {
    'this host by TLS, which a proxy ends': { origin: app.base.replace('http:', 'https:') },
    'the public address': { origin: publicUrl },
    'an allowed one': { origin: 'https://desk.example' },
    'another allowed one': { origin: 'http://localhost:5173' },
    'an allowed one, of another site': { origin: 'https://desk.example', 'sec-fetch-site': 'cross-site' },
    'a browser that says same-origin': { 'sec-fetch-site': 'same-origin' },
  };
});

const guarded = definitions
  .filter(({ scope }) => scope !== 'public')
  .map((endpoint) => [endpoint.operationId, endpoint] as const);
const changing = guarded.filter(([, { method }]) => method !== 'get');
const reading = guarded.filter(([, { method }]) => method === 'get');

function ask(endpoint: Definition, headers: Headers, idOf: (name: string) => string) {
  const { operationId, method } = endpoint;
  const params = Object.fromEntries(paramNamesOf(endpoint).map((name) => [name, idOf(name)]));
  const body = exampleBody(endpoint, { organization: app.tenant.organizationId }) ?? {};
  return app.call(operationId, { key: null, headers, params, body: method === 'get' || method === 'delete' ? undefined : body });
}

const cookieOf = async (): Promise<Headers> => {
  const { token } = await sessionHeaders(app.em(), userId, app.base);
  return { cookie: `__Host-kanal_session=${token}` };
};
const isRefused = (status: number, text: string) => status === 403 && text.includes('origin_not_allowed');

test('there is something to walk', () => {
  expect(changing.length).toBeGreaterThan(15);
  expect(reading.length).toBeGreaterThan(10);
});

test.each(changing)('%s: with the cookie alone nothing from a foreign page', async (_name, endpoint) => {
  const cookie = await cookieOf();
  const before = await storedState(app);
  const answerTo = async ([name, headers]: [string, Headers]) => {
    const { status, text } = await ask(endpoint, { ...cookie, ...headers }, (param) => owned[param] ?? uuidv7());
    return { name, status, text };
  };
  // A few at once: of many a busy process refuses some with a 503, whoever asks.
  const pages = Object.entries(foreignPages);
  const answers = [];
  while (pages.length > 0) answers.push(...(await Promise.all(pages.splice(0, 6).map(answerTo))));
  expect(answers.filter(({ status, text }) => !isRefused(status, text))).toEqual([]);
  expect(await storedState(app)).toBe(before);
});

test.each(changing)('%s: from our own pages and the allowed ones', async (_name, endpoint) => {
  const seen: Record<string, number> = {};
  for (const [name, headers] of Object.entries(ownPages))
    seen[name] = (await ask(endpoint, { ...(await cookieOf()), ...headers }, uuidv7)).status;
  for (const status of Object.values(seen)) expect([401, 403]).not.toContain(status);
});

test.each(changing)('%s: a key or a token needs no page, since no browser sends it by itself', async (_name, endpoint) => {
  const { headers: bearer } = await bearerToken(app.em(), app.tenant.organizationId, userId);
  const programs: Headers[] = [{ 'x-api-key': app.tenant.key }, bearer];
  for (const credential of programs)
    for (const more of [{}, await cookieOf()]) {
      const { status, text } = await ask(endpoint, { ...more, ...credential, origin: 'https://evil.example' }, uuidv7);
      expect([status, isRefused(status, text)]).toEqual([expect.any(Number), false]);
      expect(status).not.toBe(401);
    }
});

test.each(reading)('%s: reading changes nothing', async (_name, endpoint) => {
  for (const name of ['another site', 'no page at all', 'nothing said', 'a browser that says cross-site']) {
    const { status } = await ask(endpoint, { ...(await cookieOf()), ...foreignPages[name] }, uuidv7);
    expect([name, [401, 403].includes(status)]).toEqual([name, false]);
  }
});

test('no reply lets a foreign page read it', async () => {
  const { headers, status } = await app.call('messages.list', {
    key: null,
    headers: { ...(await cookieOf()), origin: 'https://evil.example' },
  });
  expect([status, headers.get('access-control-allow-origin')]).toEqual([200, null]);
});
