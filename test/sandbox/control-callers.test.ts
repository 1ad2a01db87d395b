import { request } from 'node:http';
import { expect, test } from '@jest/globals';
import { phoneNumberId, useHouse, user } from './house.ts';

const house = useHouse({ allowedHosts: ['sandbox'] });

type Sent = { method?: string; path: string; headers?: Record<string, string>; body?: string };

/** As a browser would send it: `fetch` keeps Host to itself. */
const ask = ({ method = 'GET', path, headers = {}, body }: Sent) =>
  new Promise<{ status: number; text: string }>((resolve, reject) => {
    const asked = request(`${house.url}/_control${path}`, { method, headers }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk) => chunks.push(chunk));
      answer.on('end', () => resolve({ status: answer.statusCode!, text: Buffer.concat(chunks).toString() }));
    });
    asked.on('error', reject);
    asked.end(body);
  });

const json = { 'content-type': 'application/json' };
const inbound = JSON.stringify({
  phone_number_id: phoneNumberId,
  message: { text: { body: 'forged' } },
  contact: { wa_id: user },
});
const elsewhere = JSON.stringify({ webhook_url: 'http://evil.example/' });
const received = async () => (await house.get('/_control/subscription')).body;

test.each([
  ['text/plain', { 'content-type': 'text/plain' }],
  ['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
  ['a form of parts', { 'content-type': 'multipart/form-data; boundary=x' }],
  ['no type at all', {}],
  ['text/plain that speaks of JSON', { 'content-type': 'text/plain; application/json' }],
])('a body of %s, which a page may send unasked, is none: 415', async (_what, headers) => {
  const before = await received();
  for (const [path, body] of [
    ['/inbound', inbound],
    ['/subscription', elsewhere],
    ['/webhook', '{}'],
    ['/behaviour', '{"mps":1}'],
  ] as const)
    expect([path, (await ask({ method: 'POST', path, headers: headers as Record<string, string>, body })).status]).toEqual([
      path,
      415,
    ]);
  expect(await received()).toEqual(before);
  expect(house.receiver.received).toEqual([]);
});

test.each(['evil.example', 'evil.example:4010', '127.0.0.1.evil.example', 'localhost.evil.example', '192.168.0.7', 'other'])(
  'the Host %j is not ours: 403, and nothing is shown',
  async (host) => {
    for (const sent of [
      { path: '/subscription' },
      { path: '/accounts' },
      { method: 'DELETE', path: '' },
      { method: 'POST', path: '/inbound', body: inbound },
    ]) {
      const { status, text } = await ask({ ...sent, headers: { ...json, host } });
      expect([status, text.includes('app_secret'), text.includes('access_token":')]).toEqual([403, false, false]);
    }
    expect(house.receiver.received).toEqual([]);
  },
);

test.each(['127.0.0.1', '127.0.0.1:1', '127.9.9.9', 'localhost', 'LOCALHOST:4010', '[::1]:4010', 'sandbox:4010'])(
  'the Host %j is',
  async (host) => {
    expect((await ask({ path: '/subscription', headers: { host } })).status).toBe(200);
    expect((await ask({ method: 'POST', path: '/behaviour', headers: { ...json, host }, body: '{}' })).status).toBe(200);
  },
);

test.each([
  ['another site', { origin: 'http://evil.example' }],
  ['no page at all', { origin: 'null' }],
  ['another port of this machine', { origin: 'http://127.0.0.1:1' }],
  ['a browser that says cross-site', { 'sec-fetch-site': 'cross-site' }],
  ['a browser that says same-site', { 'sec-fetch-site': 'same-site' }],
])('a page of another origin, by %s: 403', async (_what, headers) => {
  for (const sent of [
    { path: '/subscription' },
    { method: 'POST', path: '/subscription', body: elsewhere },
    { method: 'DELETE', path: '' },
  ])
    expect((await ask({ ...sent, headers: { ...json, ...(headers as Record<string, string>) } })).status).toBe(403);
  expect((await received()).webhook_url).toBe(house.receiver.url);
});

test('its own origin may, and who types the address in', async () => {
  expect((await ask({ path: '/stats', headers: { origin: house.url, 'sec-fetch-site': 'same-origin' } })).status).toBe(200);
  expect((await ask({ path: '/stats', headers: { 'sec-fetch-site': 'none' } })).status).toBe(200);
});
