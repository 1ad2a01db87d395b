import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { uuidv7 } from '../../../../src/platform/ids.ts';
import { useApp } from '../../../support/app.ts';
import { type Definition, definitions } from '../../../support/contract.ts';
import { sampleRows, some } from '../../../support/depth.ts';
import { exampleBody, paramNamesOf } from '../../../support/examples.ts';
import { bearerToken, person, sessionHeaders } from '../../../support/factories/person.ts';
import { ownedRecords } from '../../../support/owned.ts';
import { stateAtRest, storedState } from '../../../support/stored.ts';

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
  await app.web.deps.authenticate.settled();
  ({ userId } = await person(app.em(), app.tenant.organizationId));
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
  .map((endpoint, index) => [endpoint.operationId, endpoint, index] as const);
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

describe('with the cookie alone, from a foreign page', () => {
  let cookie: Headers;
  let before: string;

  beforeAll(async () => {
    cookie = await cookieOf();
    before = await stateAtRest(app);
  });
  afterAll(async () => expect(await storedState(app)).toBe(before));

  test.each(changing)('%s is refused', async (_name, endpoint, index) => {
    for (const [name, headers] of some(Object.entries(foreignPages), 1, index)) {
      const { status, text } = await ask(endpoint, { ...cookie, ...headers }, (param) => owned[param] ?? uuidv7());
      expect({ name, isRefused: isRefused(status, text) }).toEqual({ name, isRefused: true });
    }
  });
});

test.each(sampleRows(changing, 30))('%s: from our own pages and the allowed ones', async (_name, endpoint, index) => {
  for (const [name, headers] of some(Object.entries(ownPages), 1, index)) {
    const { status } = await ask(endpoint, { ...(await cookieOf()), ...headers }, uuidv7);
    expect({ name, isKeptOut: [401, 403].includes(status) }).toEqual({ name, isKeptOut: false });
  }
});

test.each(sampleRows(changing, 20))(
  '%s: a key or a token needs no page, since no browser sends it by itself',
  async (_name, endpoint, index) => {
    const withKey = async () => ({ 'x-api-key': app.tenant.key });
    const withToken = async () => (await bearerToken(app.em(), app.tenant.organizationId, userId)).headers;
    const beside = [async () => ({}), cookieOf];
    const programs = [withKey, withToken].flatMap((credential) => beside.map((more) => [credential, more] as const));
    for (const [credential, more] of some(programs, 1, index)) {
      const headers = { ...(await more()), ...(await credential()), origin: 'https://evil.example' };
      const { status, text } = await ask(endpoint, headers, uuidv7);
      expect(isRefused(status, text)).toBe(false);
      expect(status).not.toBe(401);
    }
  },
);

test.each(sampleRows(reading, 20))('%s: reading is allowed from anywhere', async (_name, endpoint, index) => {
  const pages = ['another site', 'no page at all', 'nothing said', 'a browser that says cross-site'];
  for (const name of some(pages, 1, index)) {
    const { status } = await ask(endpoint, { ...(await cookieOf()), ...foreignPages[name] }, uuidv7);
    expect({ name, isKeptOut: [401, 403].includes(status) }).toEqual({ name, isKeptOut: false });
  }
});

test('no reply lets a foreign page read it', async () => {
  const { headers, status } = await app.call('messages.list', {
    key: null,
    headers: { ...(await cookieOf()), origin: 'https://evil.example' },
  });
  expect([status, headers.get('access-control-allow-origin')]).toEqual([200, null]);
});
