import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { newSecret, sign } from '../../src/webhooks/signature.ts';
import { useApp } from '../support/app.ts';
import { waitFor } from '../support/wait-for.ts';
import { type Listening, listening, whenReached } from './listening.ts';

const app = useApp({ workers: true });
let env: Record<string, string>;
let listens: Listening;
const servers: Server[] = [];

beforeAll(() => {
  env = { KANAL_URL: app.base, KANAL_API_KEY: app.tenant.key };
});
afterEach(async () => {
  if (listens.child.exitCode === null) await listens.end();
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
  expect(await endpoints()).toEqual([]);
});

async function endpoints(): Promise<string[]> {
  const { body } = await app.call('webhooks.endpoints.list');
  return body.items.map(({ id }: { id: string }) => id);
}

const start = async (...args: string[]) => {
  listens = await whenReached(listening(env, ...args));
  return listens;
};
/** Returns the contact's id. */
const createContact = async (name = 'Ada') =>
  (await app.call('contacts.create', { body: { phone_number: `+${app.phone()}`, name } })).body.data.id as string;
const lineOf = (type: string) =>
  waitFor(`a line of ${type}`, () => listens.lines().find((line) => line.includes(type) && !line.includes(' again')));

/** The server that somebody writes. */
async function localServer(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks?a=1`;
}

const lastAttempt = () => app.one('select a.status, a.response_head from webhook_attempts a order by a.created_at desc limit 1');

test.each(['SIGTERM', 'SIGHUP'] as const)('%s ends it in order too', async (signal) => {
  await start();
  expect(await listens.end(signal)).toBe(0);
});

test('--json writes a line for programs, --events chooses', async () => {
  await start('--json', '--events', 'contact.created, message.new');
  const contactId = await createContact('Žofie 💙');
  const told = JSON.parse(await lineOf('contact.created'));
  expect(told).toEqual({
    at: expect.stringMatching(/^\d{4}-.*Z$/),
    type: 'contact.created',
    id: told.headers['webhook-id'],
    subject: { type: 'contact', id: contactId },
    verified: true,
    fault: null,
    answer: 204,
    forward_fault: null,
    ms: expect.any(Number),
    note: null,
    headers: expect.objectContaining({ 'user-agent': 'Kanal-Webhooks/1.0', 'content-type': 'application/json' }),
    body: expect.objectContaining({ id: told.id, data: expect.objectContaining({ name: 'Žofie 💙' }) }),
  });
  await app.idle();
  expect(listens.lines()).toHaveLength(1);
  expect(listens.output().trim().split('\n')).toHaveLength(1);
});

test('--body shows the envelope below its line', async () => {
  await start('--body');
  await createContact('Grace');
  await waitFor('the body', () => /contact\.created .*\n {4}\{\n {6}"id": "[\s\S]*"name": "Grace"/.test(listens.output()));
});

describe('--forward-to', () => {
  test('passes the delivery on as it came, and answers as the server did', async () => {
    const seen: { method?: string; url?: string; headers: IncomingHttpHeaders; raw: Buffer }[] = [];
    const url = await localServer(async (request, response) => {
      const { method, url: path, headers } = request;
      seen.push({ method, url: path, headers, raw: await buffer(request) });
      response.writeHead(201, { 'x-mine': 'yes' }).end('thank you');
    });
    await start('--forward-to', url, '--events', 'contact.created');
    await createContact();
    expect(await lineOf('contact.created')).toMatch(/✓ verified {2}201 {2}\d+ ms$/);
    const [first] = seen;
    expect(first).toMatchObject({ method: 'POST', url: '/hooks?a=1', headers: { host: new URL(url).host } });
    const event = new Webhook(listens.told('Secret')).verify(first!.raw, first!.headers as Record<string, string>);
    expect(event).toMatchObject({ type: 'contact.created', organization_id: app.tenant.organizationId });
    await app.idle();
    const { status, response_head: head } = await lastAttempt();
    expect(status).toBe(201);
    expect(head).toMatch(/^x-mine: yes$/m);
    expect(head).toMatch(/\n\nthank you$/);
    // Its own test does not reach the server.
    expect(seen).toHaveLength(1);
  });

  test('a refusal is the answer too, and the next attempt is marked', async () => {
    let calls = 0;
    const url = await localServer((_request, response) => {
      calls += 1;
      response.writeHead(calls === 1 ? 503 : 200).end();
    });
    await start('--forward-to', url, '--events', 'contact.created');
    await createContact();
    expect(await lineOf('contact.created')).toMatch(/✓ verified {2}503 {2}\d+ ms$/);
    await waitFor('the next attempt', () => listens.lines().some((line) => / 200 {2}\d+ ms {2}again$/.test(line)));
  });

  test.each<[string, RequestListener | undefined, RegExp]>([
    ['no server', undefined, /ECONNREFUSED/],
    ['a server that says nothing', () => undefined, /no answer within 1 s/],
    ['a server that breaks off', (request) => request.socket.destroy(), /other side closed|ECONNRESET/],
    ['an answer too large', (_request, response) => response.end(Buffer.alloc(2_000_000)), /its answer is over 1024 kB/],
  ])('%s is a 502 with its reason', async (_what, listener, reason) => {
    const url = listener ? await localServer(listener) : 'http://127.0.0.1:9/';
    await start('--forward-to', url, '--timeout', '1', '--events', 'contact.created');
    await createContact();
    expect(await lineOf('contact.created')).toMatch(/✓ verified {2}502 \(.+\) {2}\d+ ms$/);
    expect(await lineOf('contact.created')).toMatch(reason);
    await waitFor('the attempt', async () => (await lastAttempt()).status === 502);
  });
});

test('what is forged is shown as not verified, answered 401 and not passed on', async () => {
  let calls = 0;
  const url = await localServer((_request, response) => {
    calls += 1;
    response.end();
  });
  await start('--forward-to', url, '--events', 'message.new');
  const body = '{"type":"message.new\u001b[2J"}';
  const timestamp = Math.floor(Date.now() / 1000);
  const post = (secret: string, at: number) =>
    fetch(listens.told('Address'), {
      method: 'POST',
      body,
      headers: {
        'webhook-id': 'forged',
        'webhook-timestamp': String(at),
        'webhook-signature': sign({ id: 'forged', timestamp: at, body, secrets: [secret] }),
      },
    });
  expect((await post(newSecret(), timestamp)).status).toBe(401);
  expect((await post(listens.told('Secret'), timestamp - 400)).status).toBe(401);
  expect((await fetch(listens.told('Address'))).status).toBe(401);
  await waitFor('their lines', () => listens.lines().length === 3);
  expect(
    listens.lines().map((line) =>
      line
        .split('  ')
        .slice(1)
        .filter(Boolean)
        .map((cell) => cell.trim())
        .slice(0, 5),
    ),
  ).toEqual([
    ['?', 'forged', '-', '✗ not verified: no matching signature found', '401'],
    ['?', 'forged', '-', '✗ not verified: message timestamp too old', '401'],
    ['?', '-', '-', '✗ not verified: missing required headers', '401'],
  ]);
  expect(listens.output()).not.toContain('\u001b');
  expect(calls).toBe(0);
});

test('what a killed run has left the next one removes, and it leaves that of a run beside it', async () => {
  const killed = await start();
  const beside = await whenReached(listening(env));
  await killed.end('SIGKILL');
  expect(await endpoints()).toContain(killed.told('Endpoint'));
  await start();
  expect(listens.output()).toMatch(/^Removed the endpoints that killed runs have left: 1$/m);
  expect((await endpoints()).sort()).toEqual([beside, listens].map((one) => one.told('Endpoint')).sort());
  expect(await beside.end()).toBe(0);
});

test('a reader of its lines that leaves ends it, and the endpoint goes too', async () => {
  await start();
  listens.child.stdout!.destroy();
  await createContact();
  await waitFor('its end', () => listens.child.exitCode !== null);
  expect(listens.child.exitCode).toBe(0);
});
