import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ProviderBusy, ProviderFailed, ProviderRefused, ProviderUnknown } from '../../../src/providers/errors.ts';
import { createGraphClient, type GraphClient } from '../../../src/providers/messaging-app/client.ts';
import { graphMessagingApp } from '../../../src/providers/messaging-app/graph.ts';

let server: Server;
let client: GraphClient;
let baseUrl: string;
let answer: (req: IncomingMessage, res: ServerResponse) => void;
let requests: { method?: string; url?: string; authorization?: string; body: string }[] = [];

beforeAll(async () => {
  server = createServer(async (req, res) => {
    let body = '';
    for await (const chunk of req) body += chunk;
    requests.push({ method: req.method, url: req.url, authorization: req.headers.authorization, body });
    answer(req, res);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v23.0`;
  client = createGraphClient({ baseUrl, timeoutMs: 2_000 });
});
afterAll(async () => {
  client.close();
  server.closeAllConnections();
  await new Promise<void>((resolve) => server.close(() => resolve()));
});

const says = (status: number, body: unknown, headers: Record<string, string> = {}) => {
  requests = [];
  answer = (_req, res) => res.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body));
};
const does = (handler: typeof answer) => {
  answer = handler;
};
const fault = (code: number, more: object = {}) => ({ error: { message: 'No', type: 'OAuthException', code, ...more } });
const thrown = async (work: Promise<unknown>): Promise<Error & Record<string, unknown>> =>
  work.then(
    () => {
      throw new Error('It did not throw');
    },
    (error) => error,
  );
const post = () => thrown(client.post('1/messages', 'the-token', { a: 1 }));
const get = () => thrown(client.get('1', 'the-token'));

test('asks with the token, under the version, and reads the answer', async () => {
  says(200, { ok: true });
  expect(await client.post('1/messages', 'the-token', { a: 1 })).toEqual({ ok: true });
  expect(requests).toEqual([{ method: 'POST', url: '/v23.0/1/messages', authorization: 'Bearer the-token', body: '{"a":1}' }]);
});

describe("an error in the provider's own words is believed, whatever its status", () => {
  test.each([
    [400, 131026, ProviderRefused],
    [500, 131026, ProviderRefused],
    [200, 0, undefined],
    [400, 131000, ProviderFailed],
    [429, 4, ProviderBusy],
    [400, 4, ProviderBusy],
    [401, 190, ProviderRefused],
  ])('%i with code %i', async (status, code, kind) => {
    says(status, fault(code));
    if (!kind) return void expect(await client.post('1', 't', {})).toEqual(fault(code));
    expect(await post()).toBeInstanceOf(kind);
    expect((await get()).providerCode).toBe(String(code));
  });

  test('Retry-After is heeded by one that is busy', async () => {
    says(400, fault(130429), { 'retry-after': '7' });
    expect(await post()).toMatchObject({ retryAfterMs: 7_000, scope: 'channel' });
  });

  test('its details are told', async () => {
    says(400, fault(132000, { error_data: { details: 'body: 1 of 2' } }));
    expect((await post()).message).toBe('No: body: 1 of 2');
  });
});

describe('what nobody can know is unknown for a send, and tried again for a question', () => {
  test.each([
    ['a gateway without a reason', () => says(502, '<html>Bad gateway</html>')],
    ['a 500 in other words', () => says(500, { message: 'x' })],
    ['an answer that is no JSON', () => says(200, 'OK')],
    ['an empty answer', () => says(200, '')],
    ['no answer in time', () => does(() => {})],
    ['a connection that ends', () => does((req) => void req.socket.destroy())],
    [
      'half an answer',
      () => does((_req, res) => void res.writeHead(200, { 'content-length': 100 }).write('{', () => res.socket?.destroy())),
    ],
    ['an answer without end', () => says(200, `"${'x'.repeat(3 * 1024 * 1024)}"`)],
  ])('%s', async (_what, setUp) => {
    setUp();
    expect(await post()).toBeInstanceOf(ProviderUnknown);
    setUp();
    expect(await get()).toBeInstanceOf(ProviderFailed);
  });
});

test('nothing was written when nobody listens: a send may be tried again', async () => {
  const nobody = createGraphClient({ baseUrl: 'http://127.0.0.1:1', timeoutMs: 2_000 });
  const error = await thrown(nobody.post('1/messages', 't', {}));
  expect(error).toBeInstanceOf(ProviderFailed);
  expect(error.providerCode).toBe('ECONNREFUSED');
  nobody.close();
});

test.each([
  [404, ProviderRefused, 'http_404'],
  [302, ProviderRefused, 'http_302'],
  [429, ProviderBusy, '4'],
] as const)('%i without a reason', async (status, kind, code) => {
  says(status, 'x', { location: 'http://127.0.0.1:1/' });
  const error = await post();
  expect([error.constructor, error.providerCode]).toEqual([kind, code]);
  expect(requests).toHaveLength(1);
});

test('a token is in no message', async () => {
  for (const [status, body] of [
    [401, fault(190)],
    [502, 'x'],
  ] as const) {
    says(status, body);
    expect(JSON.stringify([await post(), (await get()).message])).not.toContain('the-token');
  }
});

test('templates are read page by page', async () => {
  requests = [];
  answer = (req, res) => {
    const after = new URL(req.url!, baseUrl).searchParams.get('after');
    const data = [{ id: after ? 2 : 1, name: 'n', language: 'en', category: 'UTILITY', status: 'APPROVED' }];
    res.end(
      JSON.stringify({ data, paging: { cursors: { after: 'two' }, ...(!after && { next: 'http://elsewhere.example/' }) } }),
    );
  };
  const templates = await graphMessagingApp(client).listTemplates({ phoneNumberId: '1', accountId: '2', accessToken: 't' });
  expect(templates.map(({ id, category, components }) => [id, category, components])).toEqual([
    ['1', 'utility', []],
    ['2', 'utility', []],
  ]);
  expect(requests).toHaveLength(2);
});
