import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough, Readable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { ProviderBusy, ProviderFailed, ProviderRefused } from '../../../src/providers/errors.ts';
import { createGraphClient, type GraphClient } from '../../../src/providers/messaging-app/client.ts';
import { graphMessagingApp } from '../../../src/providers/messaging-app/graph.ts';
import { linkOf } from '../../../src/providers/messaging-app/media-streams.ts';
import { type MediaStream, mediaTooLarge } from '../../../src/providers/messaging-app/provider.ts';
import { whenStill } from '../../support/turns.ts';
import { waitFor } from '../../support/wait-for.ts';

type Answer = (req: IncomingMessage, res: ServerResponse) => void;
let server: Server;
let client: GraphClient;
let origin: string;
let metadata: object;
let file: Answer;
let upload: Answer;
let asked: { method?: string; url?: string; headers: IncomingMessage['headers'] }[] = [];
const account = { phoneNumberId: '1', accountId: '2', accessToken: 'the-token' };
const bytes = randomBytes(300_000);

beforeAll(async () => {
  server = createServer((req, res) => {
    asked.push({ method: req.method, url: req.url, headers: req.headers });
    if (req.url === '/v23.0/77') return void res.end(JSON.stringify(metadata));
    if (req.url === '/v23.0/1/media') return upload(req, res);
    file(req, res);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  client = createGraphClient({ baseUrl: `${origin}/v23.0`, timeoutMs: 3_000, mediaHosts: ['files.example.com'] });
});
beforeEach(() => {
  asked = [];
  metadata = { url: `${origin}/file?hash=1`, mime_type: 'image/jpeg', file_size: String(bytes.length), id: '77' };
  file = (_req, res) => res.end(bytes);
});
afterAll(async () => {
  client.close();
  server.closeAllConnections();
  await new Promise<void>((resolve) => server.close(() => resolve()));
});

async function readAll({ stream }: Pick<MediaStream, 'stream'>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}
const fetchFile = (take: (given: MediaStream) => Promise<unknown> = readAll, maxBytes = 1_000_000) =>
  graphMessagingApp(client).fetchMedia(account, { mediaId: '77', maxBytes }, take);
const thrown = (work: Promise<unknown>): Promise<Error & Record<string, unknown>> =>
  work.then(
    () => {
      throw new Error('It did not throw');
    },
    (error) => error,
  );
const fault = (status: number, code: number): Answer => {
  return (_req, res) => res.writeHead(status).end(JSON.stringify({ error: { message: 'No', code } }));
};

describe('a received file', () => {
  test('is asked for by its id, then at its link, with the token both times', async () => {
    const given = await fetchFile(async (one) => ({ type: one.mimeType, bytes: await readAll(one) }));
    expect(given).toEqual({ type: 'image/jpeg', bytes });
    expect(asked.map(({ url, headers }) => [url, headers.authorization])).toEqual([
      ['/v23.0/77', 'Bearer the-token'],
      ['/file?hash=1', 'Bearer the-token'],
    ]);
  });

  test('that says it is too large is not loaded', async () => {
    const error = await thrown(fetchFile(readAll, 299_999));
    expect(error).toBeInstanceOf(ProviderRefused);
    expect(error.providerCode).toBe(mediaTooLarge);
    expect(asked).toHaveLength(1);
  });

  test('that turns out too large is stopped', async () => {
    metadata = { ...metadata, file_size: undefined };
    const error = await thrown(fetchFile(readAll, 100_000));
    expect(error.providerCode).toBe(mediaTooLarge);
  });

  test.each([
    ['a link that has expired', fault(404, 100), ProviderFailed],
    ['a link without a reason', (_req: IncomingMessage, res: ServerResponse) => res.writeHead(410).end(), ProviderFailed],
    ['a fault of the provider', (_req: IncomingMessage, res: ServerResponse) => res.writeHead(502).end('x'), ProviderFailed],
    ['a redirect', (_req: IncomingMessage, res: ServerResponse) => res.writeHead(302, { location: '/x' }).end(), ProviderFailed],
    ['a busy provider', fault(400, 4), ProviderBusy],
    ['a token that is refused', fault(401, 190), ProviderRefused],
    [
      'a transfer that ends too early',
      (_req: IncomingMessage, res: ServerResponse) => res.end(bytes.subarray(1)),
      ProviderFailed,
    ],
  ])('%s is sorted', async (_what, answer, kind) => {
    file = answer;
    expect(await thrown(fetchFile())).toBeInstanceOf(kind);
  });

  test('whose connection is lost in the middle is a failure, not an end', async () => {
    file = (_req, res) => {
      res.writeHead(200, { 'content-length': bytes.length });
      res.write(bytes.subarray(0, 1_000), () => res.destroy());
    };
    expect(await thrown(fetchFile())).toBeInstanceOf(ProviderFailed);
  });

  test('that stalls is given up after the timeout of a call', async () => {
    file = (_req, res) => void res.writeHead(200, { 'content-length': bytes.length }).write(bytes.subarray(0, 10));
    expect(await thrown(fetchFile())).toBeInstanceOf(ProviderFailed);
  });

  test('a fault of who reads it stays what it is, and ends the transfer', async () => {
    let isClosed = false;
    file = (_req, res) => {
      res.on('close', () => {
        isClosed = true;
      });
      res.writeHead(200);
      Readable.from(
        (async function* () {
          for (;;) yield bytes;
        })(),
      ).pipe(res);
    };
    metadata = { ...metadata, file_size: undefined };
    const full = new Error('The disk is full');
    const error = await thrown(
      fetchFile(async ({ stream }) => {
        for await (const _ of stream) throw full;
      }, Number.MAX_SAFE_INTEGER),
    );
    expect(error).toBe(full);
    await waitFor('the connection to end', () => isClosed);
  });
});

describe('a link', () => {
  const rules = { baseUrl: 'https://graph.example.com/v23.0', mediaHosts: ['files.example.com'] };

  test.each(['https://graph.example.com/x', 'https://files.example.com/x?mid=1'])('may lead to %s', (link) => {
    expect(linkOf(link, rules).href).toBe(link);
  });

  test.each([
    'http://files.example.com/x',
    'https://files.example.com:8443/x',
    'https://files.example.com.evil.example/x',
    'https://evil.example/files.example.com',
    'https://user@files.example.com/x',
    'http://graph.example.com/x',
    'https://169.254.169.254/latest',
    'http://127.0.0.1/',
    'file:///etc/passwd',
    'no link',
  ])('must not lead to %s', (link) => {
    expect(() => linkOf(link, rules)).toThrow(ProviderFailed);
  });

  test('elsewhere gets no request, and so no token', async () => {
    metadata = { ...metadata, url: origin.replace('127.0.0.1', 'localhost') };
    expect(await thrown(fetchFile())).toMatchObject({ providerCode: 'media_host' });
    expect(asked).toHaveLength(1);
  });
});

describe('an upload', () => {
  const sent = { mimeType: 'audio/ogg; codecs=opus', bytes: bytes.length, open: async () => Readable.from([bytes]) };
  const send = (more: Partial<typeof sent> = {}) => graphMessagingApp(client).uploadMedia(account, { ...sent, ...more });

  test('is a form with the file in it, whose length is told before', async () => {
    let form: FormData | undefined;
    upload = async (req, res) => {
      const body = await readAll({ stream: req });
      expect(req.headers['content-length']).toBe(String(body.length));
      form = await new Response(new Uint8Array(body), { headers: { 'content-type': req.headers['content-type']! } }).formData();
      res.end(JSON.stringify({ id: '4490709327384033' }));
    };
    expect(await send()).toBe('4490709327384033');
    expect([form!.get('messaging_product'), form!.get('type')]).toEqual(['whatsapp', 'audio/ogg']);
    const received = form!.get('file') as File;
    expect(received.type).toBe('audio/ogg');
    expect(
      createHash('sha256')
        .update(Buffer.from(await received.arrayBuffer()))
        .digest(),
    ).toEqual(createHash('sha256').update(bytes).digest());
  });

  test('is read no faster than the provider takes it', async () => {
    let read = 0;
    const { promise: goOn, resolve } = Promise.withResolvers<void>();
    upload = async (req, res) => {
      await goOn;
      await readAll({ stream: req });
      res.end(JSON.stringify({ id: '1' }));
    };
    const many = 400;
    async function* chunks() {
      for (let index = 0; index < many; index += 1) {
        read += 1;
        yield bytes;
      }
    }
    const done = send({ bytes: bytes.length * many, open: async () => Readable.from(chunks()) });
    await waitFor('the upload to begin', () => read > 0);
    // What fits into the buffers of both sockets: 120 MB would not.
    expect(await whenStill(() => read)).toBeLessThan(many / 2);
    resolve();
    expect(await done).toBe('1');
  });

  test.each([
    ['an answer without an id', (_req: IncomingMessage, res: ServerResponse) => res.end('{}'), ProviderFailed],
    ['an answer that is lost', (req: IncomingMessage) => req.socket.destroy(), ProviderFailed],
    ['a fault without a reason', (_req: IncomingMessage, res: ServerResponse) => res.writeHead(500).end(), ProviderFailed],
    ['a refusal', fault(400, 100), ProviderRefused],
    ['a busy number', fault(400, 130429), ProviderBusy],
  ])('%s is sorted: an upload may be repeated', async (_what, answer, kind) => {
    upload = (req, res) => {
      req.resume();
      req.on('end', () => answer(req, res));
      if (answer.length === 1) answer(req, res);
    };
    expect(await thrown(send())).toBeInstanceOf(kind);
  });

  test('a file that cannot be read is no fault of the provider', async () => {
    upload = (req) => void req.resume();
    const away = new Error('The storage is away');
    const broken = new PassThrough();
    broken.write(bytes.subarray(0, 10));
    setImmediate(() => broken.destroy(away));
    expect(await thrown(send({ open: async () => broken }))).toBe(away);
    expect(await thrown(send({ open: () => Promise.reject(away) }))).toBe(away);
  });
});
