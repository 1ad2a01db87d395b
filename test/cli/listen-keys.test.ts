import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import type { Api } from '../../cli/listen/api.ts';
import { createDeliveries } from '../../cli/listen/deliveries.ts';
import { watchKeys } from '../../cli/listen/keys.ts';
import type { Arrival } from '../../cli/listen/receiver.ts';
import type { Told } from '../../cli/listen/report.ts';
import { newSecret, sign } from '../../src/webhooks/signature.ts';

class Terminal extends EventEmitter {
  isTTY = true;
  modes: string[] = [];
  setRawMode(isRaw: boolean) {
    this.modes.push(isRaw ? 'raw' : 'cooked');
    return this;
  }
  resume = () => this;
  pause = () => this;
  press = (text: string) => this.emit('data', Buffer.from(text));
}

const watched = (terminal: Terminal) => {
  const done: string[] = [];
  const keys = { r: () => void done.push('r'), '?': () => void done.push('?') };
  return { done, end: watchKeys(terminal as never, keys, () => void done.push('quit')) };
};

test('each key does its own, Ctrl-C and Ctrl-D end, others nothing; the terminal is left as it was', () => {
  const terminal = new Terminal();
  const { done, end } = watched(terminal);
  for (const text of ['r', 'x', '?r', '\u0003', '\u0004']) terminal.press(text);
  expect(done).toEqual(['r', '?', 'r', 'quit', 'quit']);
  end();
  terminal.press('r');
  expect(done).toHaveLength(5);
  expect(terminal.modes).toEqual(['raw', 'cooked']);
});

test('without a terminal nothing is read', () => {
  const terminal = new Terminal();
  terminal.isTTY = false;
  watched(terminal).end();
  expect([terminal.modes, terminal.listenerCount('data')]).toEqual([[], 0]);
});

const secret = newSecret();
const endpointId = 'endpoint-1';
const contactCreated = Buffer.from('{"id":"evt_1","type":"contact.created","data":{"contact_id":"c-1"}}');
/** As it came so long ago. */
const arrived = (ageSeconds: number, body = contactCreated): Arrival => {
  const timestamp = Math.floor(Date.now() / 1000) - ageSeconds;
  const headers = {
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(timestamp),
    'webhook-signature': sign({ id: 'evt_1', timestamp, body, secrets: [secret] }),
    'x-mine': 'yes',
  };
  return { at: new Date(), method: 'POST', headers, body };
};

function deliveriesOf(forwardTo?: URL, api: Api = () => Promise.reject(new Error('not asked'))) {
  const told: Told[] = [];
  const said: string[] = [];
  const deliveries = createDeliveries({
    api,
    registered: Promise.resolve({ id: endpointId, secret }),
    ...(forwardTo && { forwardTo }),
    timeoutMs: 5_000,
    tell: (one) => void told.push(one),
    say: (line) => void said.push(line),
  });
  return { deliveries, told, said };
}

test('the last event goes to the local server again, signed anew', async () => {
  const seen: { headers: IncomingHttpHeaders; raw: Buffer }[] = [];
  const server = createServer(async (request, response) => {
    seen.push({ headers: request.headers, raw: await buffer(request) });
    response.writeHead(seen.length === 1 ? 500 : 204).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { deliveries, told, said } = deliveriesOf(new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`));

  await deliveries.replayLast();
  expect(said).toEqual(['Nothing has come yet']);
  const first = arrived(200);
  expect((await deliveries.handle(first)).status).toBe(500);
  await deliveries.replayLast();
  server.close();
  server.closeAllConnections();

  expect(told.map(({ answer, note }) => [answer.status, note])).toEqual([
    [500, undefined],
    [204, 'replay'],
  ]);
  const [, again] = seen;
  expect(again!.raw).toEqual(contactCreated);
  expect(again!.headers).toMatchObject({ 'webhook-id': 'evt_1', 'x-mine': 'yes' });
  const { headers } = again!;
  expect(Number(headers['webhook-timestamp'])).toBeGreaterThan(Number(first.headers['webhook-timestamp']) + 190);
  expect(new Webhook(secret).verify(again!.raw, headers as Record<string, string>)).toMatchObject({ id: 'evt_1' });
});

test('without a local server Kanal is asked to replay the delivery of this endpoint', async () => {
  const asked: string[] = [];
  const items = [
    { id: 'delivery-1', endpoint_id: 'another' },
    { id: 'delivery-2', endpoint_id: endpointId },
  ];
  const api = (async (method: string, path: string) => {
    asked.push(`${method} ${path}`);
    return method === 'GET' ? { items } : {};
  }) as Api;
  const { deliveries, said } = deliveriesOf(undefined, api);
  await deliveries.handle(arrived(0));
  await deliveries.replayLast();
  expect(asked).toEqual(['GET /v1/events/evt_1/deliveries', 'POST /v1/settings/developer/webhooks/deliveries/delivery-2/replay']);
  expect(said).toEqual(['Kanal sends evt_1 again']);
  items.pop();
  await expect(deliveries.replayLast()).rejects.toThrow('Kanal knows no delivery of evt_1 to this endpoint');
});

test('the first test is the command’s own and not shown, those of others are', async () => {
  const testOf = (endpoint: string) =>
    arrived(0, Buffer.from(JSON.stringify({ id: 'evt_1', type: 'webhook.test', data: { endpoint_id: endpoint } })));
  const { deliveries, told } = deliveriesOf();
  expect(await deliveries.handle(testOf(endpointId))).toEqual({ status: 204 });
  await deliveries.tested;
  expect(told).toEqual([]);
  await deliveries.handle(testOf(endpointId));
  expect(told).toHaveLength(1);

  // Its own never came: what comes later is another's.
  const unreached = deliveriesOf();
  unreached.deliveries.showTests();
  await unreached.deliveries.handle(testOf(endpointId));
  expect(unreached.told).toHaveLength(1);
});
