import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { Lookup } from '../../../src/platform/network/address-guard.ts';
import { createWebhookSender, type WebhookSenderOptions } from '../../../src/webhooks/sender.ts';
import { turns } from '../../support/turns.ts';

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

async function listening(server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket.on('error', () => {})));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stops.push(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(resolve));
  });
  return (server.address() as AddressInfo).port;
}
const http = (listener: RequestListener) => listening(createServer(listener));
const tcp = (onSocket: (socket: Socket) => void) => listening(createTcpServer(onSocket));

/** Answers after a while, as a slow peer does. */
function later<Value>(ms: number, value?: Value): Promise<Value> {
  const { promise, resolve } = Promise.withResolvers<Value>();
  setTimeout(() => resolve(value as Value), ms);
  return promise;
}
/** A lookup and receivers that take some ms: how a time is divided is the subject. */
const slowly: Lookup = () => later(30, [{ address: '127.0.0.1' }]);
function sender(options: Partial<WebhookSenderOptions> = {}) {
  const made = createWebhookSender({ allowHttp: true, allowNetworks: ['127.0.0.1/32'], lookup: slowly, ...options });
  stops.push(() => made.close());
  return made;
}
const to = (url: string) => ({ url, headers: {}, body: '{}' });
// Timers may fire a moment early.
const some = (ms: number) => ms - 2;

describe('the time of an attempt', () => {
  test('is divided into lookup, connection, answer and its body', async () => {
    const port = await http(async (_request, response) => {
      await later(40);
      response.write('first');
      await later(50);
      response.end('last');
    });
    const { phases, durationMs, phase } = await sender().send(to(`http://hooks.example:${port}/`));
    expect(Object.keys(phases!).sort()).toEqual(['body', 'connect', 'dns', 'response']);
    expect(phases!.dns).toBeGreaterThanOrEqual(some(30));
    expect(phases!.connect).toBeGreaterThan(0);
    expect(phases!.response).toBeGreaterThanOrEqual(some(40));
    // On a busy machine the first part is read late, and the wait for the second looks shorter.
    expect(phases!.body).toBeGreaterThan(0);
    expect(phases!.response! + phases!.body!).toBeGreaterThanOrEqual(some(90));
    const sum = Object.values(phases!).reduce((total, ms) => total + ms, 0);
    expect(sum).toBeLessThanOrEqual(durationMs + 1);
    expect(phase).toBeUndefined();
  });

  test('has no lookup and no connection where one is used again', async () => {
    const port = await http((_request, response) => response.end());
    const one = sender();
    await one.send(to(`http://hooks.example:${port}/`));
    // The connection is free a turn after its answer.
    await turns(20);
    const { phases } = await one.send(to(`http://hooks.example:${port}/`));
    expect(Object.keys(phases!).sort()).toEqual(['body', 'response']);
  });

  test('of attempts at the same time is each one’s own', async () => {
    const port = await http(async (request, response) => {
      await later(Number(request.url!.slice(1)));
      response.end();
    });
    const one = sender();
    const delays = [10, 150, 300];
    const outcomes = await Promise.all(delays.map((ms) => one.send(to(`http://hooks.example:${port}/${ms}`))));
    outcomes.forEach(({ phases }, index) => {
      expect(phases!.dns).toBeGreaterThan(0);
      expect(phases!.response).toBeGreaterThanOrEqual(some(delays[index]!));
    });
    expect(outcomes[0]!.phases!.response).toBeLessThan(outcomes[2]!.phases!.response!);
  });
});

describe('the phase that failed', () => {
  test('is dns for a name that leads nowhere', async () => {
    const lookup: Lookup = () => Promise.reject(Object.assign(new Error('no'), { code: 'ENOTFOUND' }));
    const outcome = await sender({ lookup }).send(to('http://hooks.example/'));
    expect(outcome.phase).toBe('dns');
    expect(Object.keys(outcome.phases!)).toEqual(['dns']);
  });

  test('is dns for an address that is refused', async () => {
    const lookup: Lookup = async () => [{ address: '10.0.0.7' }];
    expect((await sender({ lookup }).send(to('http://hooks.example/'))).phase).toBe('dns');
  });

  test('is connect for a port where nobody listens', async () => {
    const port = await http(() => undefined);
    await stops.pop()!();
    const outcome = await sender().send(to(`http://hooks.example:${port}/`));
    expect(outcome.phase).toBe('connect');
    expect(Object.keys(outcome.phases!).sort()).toEqual(['connect', 'dns']);
  });

  test('is tls for a handshake that breaks off, or never ends', async () => {
    const broken = await tcp((socket) => socket.once('data', () => socket.destroy()));
    const silent = await tcp(() => undefined);
    for (const port of [broken, silent]) {
      const { phase, phases } = await sender({ connectTimeoutMs: 200 }).send(to(`https://hooks.example:${port}/`));
      expect(phase).toBe('tls');
      expect(phases!.tls).toBeGreaterThan(0);
    }
  });

  test('is response for a receiver that never answers, closes without an answer, or refuses', async () => {
    const silent = await http(() => undefined);
    const closing = await tcp((socket) => socket.once('data', () => socket.end()));
    const refusing = await http((_request, response) => response.writeHead(500).end());
    for (const port of [silent, closing, refusing]) {
      const outcome = await sender({ timeoutMs: 300 }).send(to(`http://hooks.example:${port}/`));
      expect(outcome).toMatchObject({ ok: false, phase: 'response' });
    }
  });
});
