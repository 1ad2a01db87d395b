import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ProviderFailed, ProviderRefused } from '../../../src/providers/errors.ts';
import { createGraphClient } from '../../../src/providers/messaging-app/client.ts';
import { documentLink } from '../../../src/providers/messaging-app/document-link.ts';
import { graphMessagingApp } from '../../../src/providers/messaging-app/graph.ts';
import { mediaTooLarge } from '../../../src/providers/messaging-app/provider.ts';

const account = { phoneNumberId: '1', accountId: '2', accessToken: 'the-token' };
let server: Server;
let origin: string;
let port: number;
let link: string;
let file: (res: import('node:http').ServerResponse) => void;
let asked: { url: string; authorization?: string; body: string }[] = [];

beforeAll(async () => {
  server = createServer((req, res) => {
    let body = '';
    req.on('data', (chunk) => {
      body += chunk;
    });
    req.on('end', () => {
      asked.push({ url: req.url!, authorization: req.headers.authorization, body });
      if (req.url!.endsWith('/assets'))
        return res.end(JSON.stringify({ data: [{ asset_type: 'FLOW_JSON', download_url: link }] }));
      if (req.url!.endsWith('/messages')) return res.end(JSON.stringify({ messages: [{ id: 'wamid.1' }] }));
      file(res);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ({ port } = server.address() as AddressInfo);
  origin = `http://127.0.0.1:${port}`;
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise<void>((resolve) => server.close(() => resolve()));
});

type Given = { answer?: typeof file; origins?: string[]; timeoutMs?: number };

async function download(given: string, { answer = (res) => res.end('{"a":1}'), origins = [], timeoutMs = 1_000 }: Given = {}) {
  [link, file, asked] = [given, answer, []];
  const client = createGraphClient({ baseUrl: `${origin}/v23.0`, timeoutMs, origins });
  try {
    return await graphMessagingApp(client).downloadFlowDocument(account, '21');
  } finally {
    client.close();
  }
}
const failed = (work: Promise<unknown>): Promise<ProviderFailed> =>
  work.then(
    () => {
      throw new Error('It did not throw');
    },
    (error) => error,
  );

describe('the document of a flow', () => {
  test('is fetched without the token', async () => {
    expect(await download(`${origin}/file`)).toEqual({ a: 1 });
    expect(asked.map(({ url, authorization }) => [url, authorization])).toEqual([
      ['/v23.0/21/assets', 'Bearer the-token'],
      ['/file', undefined],
    ]);
  });

  test.each(['http://localhost', 'https://evil.example', 'http://169.254.169.254/latest', 'file:///etc/passwd', 'no link'])(
    'at %s is not fetched',
    async (address) => {
      const error = await failed(download(address === 'http://localhost' ? `http://localhost:${port}/x` : address));
      expect([error instanceof ProviderFailed, error.providerCode]).toEqual([true, 'link']);
      expect(asked).toHaveLength(1);
    },
  );

  test('a known origin whose name leads to a private address is not called', async () => {
    const known = `https://localhost:${port}`;
    const error = await failed(download(`${known}/x`, { origins: [known] }));
    expect([error.providerCode, error.message]).toEqual(['link', expect.stringContaining('not public')]);
    expect(asked).toHaveLength(1);
  });

  test.each<[string, typeof file, object]>([
    ['is not JSON', (res) => res.end('{"a":'), { name: 'Error' }],
    ['redirects', (res) => res.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(), {}],
    ['is gone', (res) => res.writeHead(403).end('expired'), {}],
    ['never ends', (res) => void res.write('{'), {}],
  ])('that %s: again later', async (_what, answer) => {
    expect(await failed(download(`${origin}/file`, { answer }))).toBeInstanceOf(ProviderFailed);
  });

  test('that is larger than any may be is refused before it is whole', async () => {
    const endless = (res: import('node:http').ServerResponse) => {
      const more = () => {
        while (!res.destroyed && res.write('x'.repeat(65_536)));
      };
      res.on('drain', more);
      more();
    };
    // A busy machine takes its time to make so much.
    const error = await failed(download(`${origin}/file`, { answer: endless, timeoutMs: 60_000 }));
    expect(error).toBeInstanceOf(ProviderRefused);
    expect(error.providerCode).toBe(mediaTooLarge);
  });

  test('rules of an address', () => {
    const rules = {
      baseUrl: 'https://graph.example.com/v23.0',
      origins: ['https://files.example.com', 'https://10.0.0.1'],
      allowNetworks: [],
    };
    expect(documentLink('https://files.example.com/a?b', rules).href).toBe('https://files.example.com/a?b');
    expect(documentLink('https://graph.example.com/a', rules).href).toBe('https://graph.example.com/a');
    for (const address of [
      'https://10.0.0.1/a',
      'https://user@files.example.com/',
      'http://files.example.com/',
      'https://files.example.com:8443/',
    ])
      expect(() => documentLink(address, rules)).toThrow(ProviderFailed);
    expect(documentLink('https://10.0.0.1/a', { ...rules, allowNetworks: ['10.0.0.0/8'] }).hostname).toBe('10.0.0.1');
  });
});

test('a message that opens a flow says its version, and keeps what it was given', async () => {
  const client = createGraphClient({ baseUrl: `${origin}/v23.0`, timeoutMs: 1_000 });
  asked = [];
  const parameters = { flow_id: '21', flow_token: 'T', flow_cta: 'Open', flow_action_payload: { screen: 'ASK', data: { a: 1 } } };
  const content = { type: 'flow', body: { text: 'Please' }, action: { name: 'flow', parameters } };
  const components = [
    {
      type: 'button',
      sub_type: 'flow',
      index: '0',
      parameters: [{ type: 'action', action: { flow_token: 'T', flow_action_data: {} } }],
    },
  ];
  const base = { callbackData: 'ours', toPhone: '1650' };
  const app = graphMessagingApp(client);
  await app.send(account, { ...base, type: 'interactive', content });
  await app.send(account, { ...base, type: 'template', content: { name: 'with_flow', language: 'en_US', components } });
  client.close();
  const [message, template] = asked.map(({ body }) => JSON.parse(body));
  expect(message.interactive).toEqual({
    ...content,
    action: { name: 'flow', parameters: { flow_message_version: '3', ...parameters } },
  });
  expect(template.template).toEqual({ name: 'with_flow', language: { code: 'en_US' }, components });
});
