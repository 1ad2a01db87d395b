import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { expect, test } from '@jest/globals';
import { useApp } from '../support/app.ts';
import { inProcess } from './in-process.ts';

// As in production: https to public addresses only. And no worker.
const app = useApp({ env: { WEBHOOK_ALLOW_HTTP: 'false', WEBHOOK_ALLOW_NETWORKS: '' } });

const refused = async (env: Record<string, string>, ...args: string[]) => {
  const { code, stdout, stderr } = await inProcess(['webhooks', 'listen', ...args], { KANAL_HOME: '/nowhere', ...env });
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  return stderr;
};
const there = () => ({ KANAL_URL: app.base, KANAL_API_KEY: app.tenant.key });

test('an address that Kanal refuses: it says what to do, and leaves nothing behind', async () => {
  const text = await refused(there());
  expect(text).toMatch(/^Kanal answered 422 to POST \S+: the URL must start with https:\/\/\. Kanal at /);
  expect(text).toContain(`Kanal at ${app.base} does not deliver to http://127.0.0.1:`);
  for (const way of ['WEBHOOK_ALLOW_HTTP=true', 'WEBHOOK_ALLOW_NETWORKS=127.0.0.0/8', '--port 8090 --public-url https://'])
    expect(text).toContain(way);
  expect((await app.call('webhooks.endpoints.list')).body.items).toEqual([]);
});

test('a key that is unknown, or lacks a scope, is refused by Kanal in its words', async () => {
  expect(await refused({ ...there(), KANAL_API_KEY: 'kk_nobody' })).toMatch(/Kanal answered 401 to /);
  const { key } = await app.key(app.tenant.organizationId, ['webhooks:read']);
  const text = await refused({ ...there(), KANAL_API_KEY: key });
  expect(text).toMatch(/Kanal answered 403 to POST .*webhooks:write/);
  expect(text).not.toContain(key);
});

test('an event type that is none is refused by Kanal', async () => {
  expect(await refused(there(), '--events', 'message.nwe')).toMatch(/Kanal answered 4\d\d to POST .*event_types/);
});

test('a port that is taken is named', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  expect(await refused(there(), '--port', String(port))).toBe(`Port ${port} is taken: choose another with --port\n`);
  server.close();
});

const elsewhere = { KANAL_URL: 'https://kanal.example', KANAL_API_KEY: 'kk_1' };

test.each<[string, Record<string, string>, string[], RegExp]>([
  ['nothing runs here and none is named', {}, [], /^Kanal is not running here\. .*KANAL_URL and KANAL_API_KEY$/],
  ['an address without a key', { KANAL_URL: 'http://127.0.0.1:3000' }, [], /^No API key for http:\/\/127\.0\.0\.1:3000: /],
  ['a key without an address', { KANAL_API_KEY: 'kk_1' }, [], /^An API key and no address: /],
  ['an address that is none', { KANAL_URL: 'kanal' }, [], /KANAL_URL/],
  ['a Kanal on another machine', elsewhere, [], /^Kanal at https:\/\/kanal\.example is on another machine .*--public-url/],
  ['a tunnel to no port', elsewhere, ['--public-url', 'https://my-tunnel.example'], /^--public-url needs --port as well/],
  ['a tunnel that is no URL', elsewhere, ['--public-url', 'tunnel', '--port', '1'], /^--public-url must be a URL/],
  ['a server that is no URL', elsewhere, ['--forward-to', 'ftp://a'], /^--forward-to must be a URL that begins with http/],
  ['a port that is none', elsewhere, ['--port', '65536'], /^The port must be a whole number from 0 to 65535$/],
  ['no event type', elsewhere, ['--events', ' ,'], /^No event type is named$/],
  ['a key of two lines', { ...elsewhere, KANAL_API_KEY: 'kk_1\nkk_2' }, [], /^The API key has a character that no key has/],
  ['a key with an emoji', elsewhere, ['--api-key', 'kk_😀'], /^The API key has a character that no key has: copy it again$/],
  ['nobody at the address', { KANAL_URL: 'http://127.0.0.1:4', KANAL_API_KEY: 'kk_1' }, [], /cannot be reached: .*ECONNREFUSED/],
])('%s: says in a line what is wrong', async (_what, env, args, line) => {
  expect((await refused(env, ...args)).trim()).toMatch(line);
});
