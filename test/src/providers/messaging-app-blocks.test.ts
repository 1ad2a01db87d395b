import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  ProviderBusy,
  type ProviderError,
  ProviderFailed,
  ProviderRefused,
  ProviderUnknown,
} from '../../../src/providers/errors.ts';
import { createGraphClient, type GraphClient } from '../../../src/providers/messaging-app/client.ts';
import { graphMessagingApp } from '../../../src/providers/messaging-app/graph.ts';
import type { MessagingApp } from '../../../src/providers/messaging-app/provider.ts';

let server: Server;
let client: GraphClient;
let app: MessagingApp;
let answer: { status: number; body: string };
let requests: { method?: string; url?: string; type?: string; body: string }[] = [];

beforeAll(async () => {
  server = createServer(async (req, res) => {
    let body = '';
    for await (const chunk of req) body += chunk;
    requests.push({ method: req.method, url: req.url, type: req.headers['content-type'], body });
    res.writeHead(answer.status).end(answer.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  client = createGraphClient({ baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v23.0`, timeoutMs: 2_000 });
  app = graphMessagingApp(client);
});
afterAll(async () => {
  client.close();
  server.closeAllConnections();
  await new Promise<void>((resolve) => server.close(() => resolve()));
});

const account = { phoneNumberId: '1', accountId: '2', accessToken: 'the-token' };
const answers = (status: number, body: unknown) => {
  requests = [];
  answer = { status, body: typeof body === 'string' ? body : JSON.stringify(body) };
};
const thrown = (work: Promise<unknown>) =>
  work.then(
    () => {
      throw new Error('It did not throw');
    },
    (error: ProviderError) => error,
  );
const whole = (code: number) => ({ error: { message: `(#${code}) No`, type: 'OAuthException', code } });
/** As the provider answers when one of the users could not be blocked. */
const failed = (code: number) => ({
  messaging_product: 'whatsapp',
  block_users: {
    failed_users: [{ input: '+1650', wa_id: '1650', errors: [{ message: 'No', code, error_data: { details: 'because' } }] }],
  },
  ...whole(139100),
});

describe('what is asked and read', () => {
  test.each([
    ['by phone', { phone: '1650' }, { user: '+1650' }, { input: '+1650', wa_id: '1650' }],
    [
      'by the phone as it was asked, where the app spells it otherwise',
      { phone: '1650' },
      { user: '+1650' },
      { input: '+1650', wa_id: '99' },
    ],
    ['by user id', { userId: 'US.1' }, { user_id: 'US.1' }, { input: 'US.1', user_id: 'US.1' }],
    ['by phone where both are known', { phone: '1650', userId: 'US.1' }, { user: '+1650' }, { input: '+1650', wa_id: '1650' }],
  ])('%s', async (_what, who, user, entry) => {
    answers(200, { block_users: { added_users: [entry] } });
    await app.blockUser(account, who);
    const [asked] = requests;
    answers(200, { block_users: { removed_users: [entry] } });
    await app.unblockUser(account, who);
    const request = {
      url: '/v23.0/1/block_users',
      type: 'application/json',
      body: JSON.stringify({ messaging_product: 'whatsapp', block_users: [user] }),
    };
    expect([asked, ...requests]).toEqual([
      { method: 'POST', ...request },
      { method: 'DELETE', ...request },
    ]);
  });
});

describe('a failure is sorted by the reason given for the user', () => {
  const cases: [number, typeof ProviderError, object][] = [
    [131047, ProviderRefused, { message: 'No: because' }],
    [131021, ProviderRefused, {}],
    [139101, ProviderRefused, {}],
    [139102, ProviderFailed, {}],
    [139103, ProviderFailed, {}],
    [130429, ProviderBusy, { scope: 'channel' }],
    [190, ProviderRefused, { stopsChannel: 'auth_error' }],
  ];
  test.each(cases)('%i for the user', async (code, kind, more) => {
    for (const status of [400, 200]) {
      answers(status, failed(code));
      for (const work of [app.blockUser(account, { phone: '1650' }), app.unblockUser(account, { phone: '1650' })]) {
        const error = await thrown(work);
        expect(error).toBeInstanceOf(kind);
        expect(error).toMatchObject({ ...more, providerCode: String(code) });
      }
    }
  });

  test.each(cases)('%i for the whole request', async (code, kind) => {
    answers(400, whole(code));
    expect(await thrown(app.blockUser(account, { phone: '1650' }))).toBeInstanceOf(kind);
  });
});

test.each([
  ['some failed, and no reason for anybody', 400, whole(139100)],
  ['nobody is named', 200, { block_users: {} }],
  [
    'another one is named',
    200,
    { block_users: { added_users: [{ input: '+1', wa_id: '1' }], removed_users: [{ input: '+1' }] } },
  ],
  ['lists that are none', 200, { block_users: { added_users: 'x', removed_users: [null], failed_users: {} } }],
  ['nothing', 200, null],
])('%s: it did not happen, again', async (_what, status, body) => {
  answers(status, body);
  expect(await thrown(app.blockUser(account, { phone: '1650' }))).toBeInstanceOf(ProviderFailed);
  expect(await thrown(app.unblockUser(account, { phone: '1650' }))).toBeInstanceOf(ProviderFailed);
});

test('an answer that cannot be read leaves it unknown', async () => {
  for (const [status, body] of [
    [502, 'Bad gateway'],
    [200, 'OK'],
  ] as const) {
    answers(status, body);
    expect(await thrown(app.unblockUser(account, { phone: '1650' }))).toBeInstanceOf(ProviderUnknown);
  }
});
