import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { Lookup } from '../../../src/platform/network/address-guard.ts';
import { createWebhookSender, type WebhookSender, type WebhookSenderOptions } from '../../../src/webhooks/sender.ts';
import { turns } from '../../support/turns.ts';

const stops: (() => unknown)[] = [];
afterEach(async () => {
  // Newest first: senders before the servers they hold connections to.
  for (const stop of stops.splice(0).reverse()) await stop();
});

interface Receiver {
  port: number;
  url: string;
  connections: () => number;
}

async function listening(server: Server): Promise<Receiver> {
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on('connection', (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  stops.push(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return { port, url: `http://127.0.0.1:${port}/hook`, connections: () => connections };
}

const receiver = (listener: RequestListener) => listening(createServer(listener));
const tcpReceiver = (onSocket: (socket: Socket) => void) => listening(createTcpServer(onSocket));

function sender(options: Partial<WebhookSenderOptions> = {}): WebhookSender {
  const made = createWebhookSender({ allowHttp: true, allowNetworks: ['127.0.0.1/32'], ...options });
  stops.push(() => made.close());
  return made;
}

const post = (url: string) => ({ url, headers: { 'webhook-id': 'evt_1' }, body: '{"a":1}' });

describe('a request', () => {
  test('arrives whole, with the sender’s own headers', async () => {
    let seen: unknown;
    const { url, port } = await receiver((request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (chunk) => {
        body += chunk;
      });
      request.on('end', () => {
        seen = { method: request.method, path: request.url, headers: request.headers, body };
        response.end('thanks');
      });
    });
    const outcome = await sender().send({
      url: `${url}?q=1#f`,
      headers: { 'webhook-id': 'evt_1', Authorization: 'Bearer x', 'Content-Type': 'text/plain', Host: 'inner' },
      body: Buffer.from('{"ü":1}'),
    });
    expect(outcome).toMatchObject({ ok: true, status: 200 });
    expect(outcome.errorClass).toBeUndefined();
    expect(outcome.durationMs).toBeGreaterThanOrEqual(0);
    expect(outcome.responseHead).toMatch(/^HTTP\/1\.1 200 OK\n.*content-length: 6.*\n\nthanks$/s);
    expect(seen).toEqual({
      method: 'POST',
      path: '/hook?q=1',
      headers: {
        host: `127.0.0.1:${port}`,
        connection: 'keep-alive',
        'content-length': '8',
        'content-type': 'application/json',
        'user-agent': 'Kanal-Webhooks/1.0',
        'webhook-id': 'evt_1',
        authorization: 'Bearer x',
      },
      body: '{"ü":1}',
    });
  });

  test.each([200, 201, 202, 204, 299])('%p is success', async (status) => {
    const { url } = await receiver((_request, response) => response.writeHead(status).end());
    expect(await sender().send(post(url))).toMatchObject({ ok: true, status });
  });

  test.each([304, 400, 404, 410, 429, 500, 503])('%p is failure', async (status) => {
    const { url } = await receiver((_request, response) => response.writeHead(status).end());
    const outcome = await sender().send(post(url));
    expect(outcome).toMatchObject({ ok: false, status, errorClass: 'http' });
    expect(outcome.error).toContain(`HTTP ${status}`);
  });

  test('a redirect is not followed', async () => {
    const paths: (string | undefined)[] = [];
    const { url } = await receiver((request, response) => {
      paths.push(request.url);
      response.writeHead(302, { location: '/other' }).end();
    });
    const outcome = await sender().send(post(url));
    expect(outcome).toMatchObject({ ok: false, status: 302, errorClass: 'http' });
    expect(outcome.error).toMatch(/redirect/);
    expect(paths).toEqual(['/hook']);
  });

  test('Retry-After is handed on as it came', async () => {
    const { url } = await receiver((_request, response) => response.writeHead(503, { 'retry-after': '120' }).end());
    expect(await sender().send(post(url))).toMatchObject({ ok: false, retryAfter: '120' });
  });

  test('a header that cannot be sent is an outcome, not a crash', async () => {
    const { url } = await receiver((_request, response) => response.end());
    const outcome = await sender().send({ ...post(url), headers: { 'x-a': 'secret\r\nx-b: c' } });
    expect(outcome).toMatchObject({ ok: false, errorClass: 'http' });
    expect(outcome.error).not.toContain('secret');
  });

  test('after close it rejects, so that no try is counted', async () => {
    const { url } = await receiver((_request, response) => response.end());
    const closed = sender();
    await closed.close();
    stops.pop();
    await expect(closed.send(post(url))).rejects.toThrow();
  });
});

describe('the answer', () => {
  test('an endless body is cut off, its connection closed, the status counts', async () => {
    let stopped: () => void = () => {};
    const closed = new Promise<void>((resolve) => {
      stopped = resolve;
    });
    const { url } = await receiver((_request, response) => {
      const chunk = Buffer.alloc(16_384, 'a');
      const write = () => {
        while (!response.destroyed && response.write(chunk));
      };
      response.on('drain', write).on('close', stopped);
      write();
    });
    const outcome = await sender().send(post(url));
    expect(outcome).toMatchObject({ ok: true, status: 200 });
    expect(Buffer.byteLength(outcome.responseHead ?? '')).toBe(20_000);
    await closed;
  });

  test('the kept text has no NUL and cuts no character', async () => {
    const { url } = await receiver((_request, response) => response.end(`a\0b${'€'.repeat(1_000)}`));
    const { responseHead = '' } = await sender({ maxResponseBytes: 500 }).send(post(url));
    expect(responseHead).toContain('\n\nab€');
    expect(responseHead).not.toContain('\0');
    expect(responseHead).not.toContain('�');
    expect(Buffer.byteLength(responseHead)).toBeLessThanOrEqual(500);
    expect(Buffer.byteLength(responseHead)).toBeGreaterThan(496);
  });

  test('bytes that are no UTF-8 do not exceed the limit either', async () => {
    const { url } = await receiver((_request, response) => response.end(Buffer.alloc(20_000, 0xff)));
    const { responseHead = '' } = await sender().send(post(url));
    expect(Buffer.byteLength(responseHead)).toBeLessThanOrEqual(20_000);
  });

  test('a body that drips is left at the limit of the try; the status counts', async () => {
    const { url } = await receiver((_request, response) => {
      response.write('first');
      const drip = setInterval(() => response.write('.'), 20);
      response.on('close', () => clearInterval(drip));
    });
    const outcome = await sender({ timeoutMs: 300 }).send(post(url));
    expect(outcome).toMatchObject({ ok: true, status: 200 });
    expect(outcome.responseHead).toMatch(/first\.+$/);
  });

  test('a body that breaks off leaves the status', async () => {
    const { url } = await receiver((_request, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('half', () => setTimeout(() => response.destroy(), 20));
    });
    const outcome = await sender().send(post(url));
    expect(outcome).toMatchObject({ ok: true, status: 200 });
    expect(outcome.responseHead).toMatch(/half$/);
  });

  test('a head larger than 16 KiB is refused', async () => {
    const { url } = await receiver((_request, response) => response.writeHead(200, { 'x-big': 'a'.repeat(20_000) }).end());
    expect(await sender().send(post(url))).toMatchObject({ ok: false, errorClass: 'http' });
  });
});

describe('an answer that is read whole', () => {
  const whole = (options: Partial<WebhookSenderOptions> = {}) => sender({ maxBodyBytes: 8, ...options });

  test('comes with any status, up to the limit', async () => {
    const { url } = await receiver((_request, response) => {
      response.writeHead(427).write('1234');
      setTimeout(() => response.end('5678'), 20);
    });
    const outcome = await whole().send(post(url));
    expect(outcome).toMatchObject({ ok: false, status: 427, errorClass: 'http' });
    expect(outcome.body?.toString()).toBe('12345678');
    expect(outcome.responseHead).toBeUndefined();
  });

  test('is none if it is longer: the attempt fails, the connection is closed', async () => {
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    const { url } = await receiver((_request, response) => response.on('close', resolve).write('123456789'));
    const outcome = await whole().send(post(url));
    expect(outcome).toMatchObject({ ok: false, errorClass: 'http', error: 'the answer is longer than 8 bytes' });
    expect(outcome.status).toBeUndefined();
    await closed;
  });

  test('is none if it breaks off, or drips beyond the limit of the try', async () => {
    const cut = await receiver((_request, response) => {
      response.writeHead(200, { 'content-length': '8' }).write('half', () => setTimeout(() => response.destroy(), 20));
    });
    const broken = await whole().send(post(cut.url));
    expect(broken).toMatchObject({ ok: false, errorClass: 'http', phase: 'body' });
    expect(broken.status).toBeUndefined();
    const slow = await receiver((_request, response) => response.write('half'));
    expect(await whole({ timeoutMs: 150 }).send(post(slow.url))).toMatchObject({
      ok: false,
      errorClass: 'timeout',
      error: 'no answer within 150 ms',
      phase: 'body',
    });
  });
});

describe('faults', () => {
  test('no answer in time', async () => {
    const { url } = await receiver(() => {});
    const outcome = await sender({ timeoutMs: 150 }).send(post(url));
    expect(outcome).toMatchObject({ ok: false, errorClass: 'timeout', error: 'no answer within 150 ms' });
    expect(outcome.status).toBeUndefined();
    expect(outcome.durationMs).toBeGreaterThanOrEqual(140);
  });

  test('no answer in the time of this attempt, which cannot be longer than the sender allows', async () => {
    const { url } = await receiver(() => {});
    const one = sender({ timeoutMs: 150 });
    expect((await one.send({ ...post(url), withinMs: 40.4 })).error).toBe('no answer within 40 ms');
    expect((await one.send({ ...post(url), withinMs: 9_000 })).error).toBe('no answer within 150 ms');
  });

  test('a head that drips is out of time, however steadily', async () => {
    const { url } = await tcpReceiver((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nx-a: ');
      const drip = setInterval(() => socket.write('a'), 20);
      socket.on('close', () => clearInterval(drip));
    });
    const outcome = await sender({ timeoutMs: 200 }).send(post(url));
    expect(outcome).toMatchObject({ ok: false, errorClass: 'timeout' });
  });

  test('connection refused', async () => {
    const { url } = await receiver(() => {});
    await stops.pop()?.();
    const outcome = await sender().send(post(url));
    expect(outcome).toMatchObject({ ok: false, errorClass: 'connect', error: 'no connection: ECONNREFUSED' });
  });

  test('several addresses that all refuse', async () => {
    const { port } = await receiver(() => {});
    await stops.pop()?.();
    const lookup: Lookup = async () => [{ address: '127.0.0.1' }, { address: '127.0.0.2' }];
    const outcome = await sender({ allowNetworks: ['127.0.0.0/8'], lookup }).send(post(`http://a.example:${port}/`));
    expect(outcome).toMatchObject({ ok: false, errorClass: 'connect' });
  });

  test('a connection closed without an answer', async () => {
    const { url } = await tcpReceiver((socket) => socket.once('data', () => socket.end()));
    expect(await sender().send(post(url))).toMatchObject({ ok: false, errorClass: 'http' });
  });

  test('an answer that is no HTTP', async () => {
    const { url } = await tcpReceiver((socket) => socket.once('data', () => socket.end('220 smtp ready\r\n\r\n')));
    expect(await sender().send(post(url))).toMatchObject({ ok: false, errorClass: 'http' });
  });

  test('a server that speaks no TLS, told the name all the same', async () => {
    let hello = Buffer.alloc(0);
    const { port } = await tcpReceiver((socket) =>
      socket.once('data', (data) => {
        hello = data;
        socket.end('HTTP/1.1 400 Bad Request\r\n\r\n');
      }),
    );
    const lookup: Lookup = async () => [{ address: '127.0.0.1' }];
    const outcome = await sender({ lookup }).send(post(`https://hooks.example.com:${port}/`));
    expect(outcome).toMatchObject({ ok: false, errorClass: 'tls' });
    expect(hello.includes('hooks.example.com')).toBe(true);
  });

  test('a TLS handshake cut short', async () => {
    const { port } = await tcpReceiver((socket) => socket.once('data', () => socket.destroy()));
    expect(await sender().send(post(`https://127.0.0.1:${port}/`))).toMatchObject({ ok: false, errorClass: 'tls' });
  });

  test('a TLS handshake that never ends is no connection in time', async () => {
    const { port } = await tcpReceiver(() => {});
    const outcome = await sender({ connectTimeoutMs: 100 }).send(post(`https://127.0.0.1:${port}/`));
    expect(outcome).toMatchObject({ ok: false, errorClass: 'connect', error: 'no connection within 100 ms' });
  });

  test('a name that is not found, and one whose lookup hangs', async () => {
    const notFound: Lookup = async () => {
      throw Object.assign(new Error('getaddrinfo ENOTFOUND a.example'), { code: 'ENOTFOUND' });
    };
    expect(await sender({ lookup: notFound }).send(post('http://a.example/'))).toMatchObject({
      ok: false,
      errorClass: 'dns',
      error: 'name lookup failed: ENOTFOUND',
    });
    const never: Lookup = () => new Promise(() => {});
    expect(await sender({ lookup: never, connectTimeoutMs: 50 }).send(post('http://a.example/'))).toMatchObject({
      ok: false,
      errorClass: 'dns',
    });
  });

  test('the limit of the try holds during lookup too, and nothing is sent after it', async () => {
    let requests = 0;
    const { port } = await receiver((_request, response) => {
      requests += 1;
      response.end();
    });
    let answer: () => void = () => undefined;
    const slow: Lookup = () =>
      new Promise((resolve) => {
        answer = () => resolve([{ address: '127.0.0.1' }]);
      });
    const outcome = await sender({ lookup: slow, timeoutMs: 50 }).send(post(`http://a.example:${port}/`));
    expect(outcome).toMatchObject({ ok: false, errorClass: 'timeout' });
    answer();
    await turns(100);
    expect(requests).toBe(0);
  });
});

describe('addresses', () => {
  test('a URL the rules refuse is not even looked up', async () => {
    let lookups = 0;
    const lookup: Lookup = async () => {
      lookups += 1;
      return [{ address: '127.0.0.1' }];
    };
    const { port, connections } = await receiver((_request, response) => response.end());
    const strict = sender({ allowHttp: false, allowNetworks: [], lookup });
    for (const url of [
      'http://a.example/',
      `https://127.0.0.1:${port}/`,
      `https://0x7f.1:${port}/`,
      'https://u:p@a.example/',
      'x',
    ]) {
      expect(await strict.send(post(url))).toMatchObject({ ok: false, errorClass: 'ssrf' });
    }
    expect(lookups).toBe(0);
    expect(connections()).toBe(0);
  });

  test('a name with one closed address is refused', async () => {
    const { port, connections } = await receiver((_request, response) => response.end());
    const lookup: Lookup = async () => [{ address: '127.0.0.1' }, { address: '127.0.0.2' }];
    expect(await sender({ lookup }).send(post(`http://a.example:${port}/`))).toMatchObject({ ok: false, errorClass: 'ssrf' });
    expect(connections()).toBe(0);
  });

  test('the connection goes to the judged address: one lookup, the name kept in Host', async () => {
    const hosts: (string | undefined)[] = [];
    const { port } = await receiver((request, response) => {
      hosts.push(request.headers.host);
      response.end();
    });
    const answers = ['127.0.0.1', '127.0.0.2'];
    const lookup: Lookup = async () => [{ address: answers.shift() ?? 'none left' }];
    expect(await sender({ lookup }).send(post(`http://rebind.example:${port}/`))).toMatchObject({ ok: true });
    expect(answers).toEqual(['127.0.0.2']);
    expect(hosts).toEqual([`rebind.example:${port}`]);
  });

  test('a name that turns to a closed address after the first delivery is refused at the next connection', async () => {
    const { port, connections } = await receiver((_request, response) => response.setHeader('connection', 'close').end());
    const answers = ['127.0.0.1', '10.0.0.1'];
    const lookup: Lookup = async () => [{ address: answers.shift() ?? '127.0.0.1' }];
    const rebound = sender({ lookup });
    const request = post(`http://rebind.example:${port}/`);
    expect(await rebound.send(request)).toMatchObject({ ok: true });
    expect(await rebound.send(request)).toMatchObject({ ok: false, errorClass: 'ssrf' });
    expect(await rebound.send(request)).toMatchObject({ ok: true });
    expect(connections()).toBe(2);
  });

  test('a malformed allowed network throws at once', () => {
    expect(() => createWebhookSender({ allowHttp: false, allowNetworks: ['127.0.0.1'] })).toThrow(TypeError);
  });
});

describe('connections', () => {
  test('are used again, without a new lookup', async () => {
    let lookups = 0;
    const lookup: Lookup = async () => {
      lookups += 1;
      return [{ address: '127.0.0.1' }];
    };
    const { port, connections } = await receiver((request, response) => {
      request.resume();
      response.end('x'.repeat(10_000));
    });
    const reusing = sender({ lookup });
    for (let i = 0; i < 20; i += 1) {
      expect(await reusing.send(post(`http://a.example:${port}/`))).toMatchObject({ ok: true });
      // undici takes a connection back one turn of the event loop after the answer, to see whether the server closes it.
      await turn();
      await turn();
    }
    expect(connections()).toBe(1);
    expect(lookups).toBe(1);
  });

  test('requests at once share a lookup and do not wait for each other', async () => {
    let lookups = 0;
    const lookup: Lookup = async () => {
      lookups += 1;
      await turns(5);
      return [{ address: '127.0.0.1' }];
    };
    let waiting: (() => void)[] = [];
    const { port, connections } = await receiver((_request, response) => {
      waiting.push(() => response.end());
      // Answered only when all have come: a queue behind one connection would never end.
      if (waiting.length === 5) {
        for (const answer of waiting) answer();
        waiting = [];
      }
    });
    const parallel = sender({ lookup, timeoutMs: 5_000 });
    const outcomes = await Promise.all(Array.from({ length: 5 }, () => parallel.send(post(`http://a.example:${port}/`))));
    expect(outcomes.every(({ ok }) => ok)).toBe(true);
    expect(connections()).toBe(5);
    expect(lookups).toBe(1);
  });

  test('a silent receiver slows no other', async () => {
    const silent = await receiver(() => {});
    const quick = await receiver((_request, response) => response.end());
    const shared = sender({ timeoutMs: 2_000 });
    let over = 0;
    const stuck = Promise.all(
      Array.from({ length: 20 }, () =>
        shared.send(post(silent.url)).finally(() => {
          over += 1;
        }),
      ),
    );
    const outcome = await shared.send(post(quick.url));
    expect(outcome).toMatchObject({ ok: true });
    expect(over).toBe(0);
    expect((await stuck).every(({ errorClass }) => errorClass === 'timeout')).toBe(true);
  });
});
