import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { CallOutcome, StepContext } from '../../../../src/automation/actions/action.ts';
import { type HttpRequest, httpRequest } from '../../../../src/automation/http/http-request.ts';
import { setUrlRules } from '../../../../src/automation/http/url-rules.ts';
import { marksIn } from '../../../../src/automation/secret-marks.ts';
import { ownRows } from '../../../../src/platform/database/own.ts';
import { AppError } from '../../../../src/platform/errors.ts';
import type { Lookup } from '../../../../src/platform/network/address-guard.ts';
import { createHttpCaller } from '../../../../src/webhooks/http-caller.ts';
import { drip, flood, floodBytes, type HostileReceiver, startHostileReceiver } from '../../../support/hostile-receiver.ts';
import { type House, openHouse } from '../../../support/house.ts';
import { storeSecret } from '../../../support/rules/automation.ts';
import { testSecrets } from '../../../support/secrets.ts';

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});
beforeEach(() => setUrlRules({ webhookAllowHttp: true, webhookAllowNetworks: ['127.0.0.1/32'] }));

async function listening(server: Server): Promise<string> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stops.push(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/in`;
}

const receiver = (listener: RequestListener) => listening(createServer(listener));

async function hostile(answer: (socket: Socket) => void): Promise<HostileReceiver> {
  const started = await startHostileReceiver(answer);
  stops.push(() => started.close());
  return started;
}

let house: House;
const stored = { TOKEN: 'q7&Zs"x/4', QUERY: 'a b&c=d' };
beforeAll(async () => {
  house = await openHouse();
  for (const [name, value] of Object.entries(stored))
    await storeSecret(house.em(), house.organizationId, name, testSecrets.seal(value), ['127.0.0.1']);
});
afterAll(() => house.close());

type Options = { allowNetworks?: string[]; lookup?: Lookup };
const key = '0191d3a0-0000-7000-8000-000000000002.tell';

async function call(fields: HttpRequest, { allowNetworks = ['127.0.0.1/32'], lookup }: Options = {}): Promise<CallOutcome> {
  const http = createHttpCaller({ allowHttp: true, allowNetworks, lookup });
  stops.push(() => http.close());
  const own = ownRows(house.database, house.organizationId);
  return httpRequest.call({ own, secrets: testSecrets, http } as StepContext, fields, key);
}

type Seen = { method?: string; path?: string; headers: IncomingMessage['headers']; body: string };

/** Keeps what it was asked, and answers. */
async function seeing(answer: (seen: Seen) => [status: number, body?: string, headers?: Record<string, string>]) {
  const seen: Seen[] = [];
  const url = await receiver((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      const one = { method: request.method, path: request.url, headers: request.headers, body };
      seen.push(one);
      const [status, text, headers] = answer(one);
      response.writeHead(status, headers).end(text);
    });
  });
  return { url, seen };
}

const marked = (texts: string, name: keyof typeof stored) => texts.replace(`{{ secrets.${name} }}`, marksIn(texts)[name]!);
const json = { 'content-type': 'application/json' };

describe('what is sent', () => {
  test('a body of JSON, the headers of the rule, and the key of the step', async () => {
    const { url, seen } = await seeing(() => [200]);
    await call({ url: `${url}?a=1#f`, headers: { 'X-Tenant': 'acme' }, body: { name: 'Zoë', n: 1 } });
    expect(seen).toHaveLength(1);
    expect(seen[0]).toMatchObject({ method: 'POST', path: '/in?a=1', body: '{"name":"Zoë","n":1}' });
    expect(seen[0]!.headers).toMatchObject({
      'x-tenant': 'acme',
      'content-type': 'application/json',
      'idempotency-key': key,
      'user-agent': 'Kanal-Automation/1.0',
      connection: 'close',
    });
  });

  test('a body of text as it is, of the type that the rule gives', async () => {
    const { url, seen } = await seeing(() => [200]);
    await call({ url, method: 'PUT', headers: { 'Content-Type': 'application/xml' }, body: '<a/>' });
    expect(seen[0]).toMatchObject({ method: 'PUT', body: '<a/>', headers: { 'content-type': 'application/xml' } });
  });

  test.each(['GET', 'HEAD', 'DELETE'] as const)('%s without a body', async (method) => {
    const { url, seen } = await seeing(() => [200]);
    expect(await call({ url, method })).toMatchObject({ kind: 'done' });
    expect(seen[0]).toMatchObject({ method, body: '' });
    expect(seen[0]!.headers['content-type']).toBeUndefined();
  });

  test('nothing while the database is away, so that it can be sent later whatever it is', async () => {
    const { url, seen } = await seeing(() => [200]);
    const own = new Proxy(ownRows(house.database, house.organizationId), {
      get: (target, name) => {
        if (name === 'organizationId') return target.organizationId;
        throw new AppError('unavailable', 'The database is away');
      },
    });
    const http = createHttpCaller({ allowHttp: true, allowNetworks: ['127.0.0.1/32'] });
    stops.push(() => http.close());
    const request = { url, body: { token: marked('{{ secrets.TOKEN }}', 'TOKEN') } };
    const outcome = await httpRequest.call({ own, secrets: testSecrets, http } as StepContext, request, key);
    expect(outcome).toEqual({ kind: 'failed', code: 'unavailable', message: 'The secrets could not be read' });
    expect(seen).toEqual([]);
  });

  test('secrets in the query, in a header and in the body, opened for the call', async () => {
    const { url, seen } = await seeing(() => [200]);
    await call({
      url: marked(`${url}?q={{ secrets.QUERY }}`, 'QUERY'),
      headers: { authorization: marked('Bearer {{ secrets.TOKEN }}', 'TOKEN') },
      body: { token: marked('{{ secrets.TOKEN }}', 'TOKEN') },
    });
    expect(seen[0]!.path).toBe('/in?q=a%20b%26c%3Dd');
    expect(seen[0]!.headers.authorization).toBe(`Bearer ${stored.TOKEN}`);
    expect(JSON.parse(seen[0]!.body)).toEqual({ token: stored.TOKEN });
  });

  test('a secret that is not there refuses, and nothing is sent', async () => {
    const { url, seen } = await seeing(() => [200]);
    const text = '{{ secrets.GONE }}';
    const outcome = await call({ url, headers: { a: text.replace(text, marksIn(text).GONE!) } });
    expect(outcome).toMatchObject({ kind: 'refused', code: 'secret_unknown' });
    expect(seen).toHaveLength(0);
  });

  const storeSealed = (name: string, value: string, hosts: string[]) =>
    storeSecret(house.em(), house.organizationId, name, testSecrets.seal(value), hosts);
  const naming = (...names: string[]) => {
    const texts = names.map((name) => `{{ secrets.${name} }}`);
    const marks = marksIn(texts);
    return names.map((name) => marks[name]!);
  };

  test.each([
    ['BOUND_ELSEWHERE', ['crm.example.com']],
    ['BOUND_TO_NONE', []],
    ['BOUND_TO_A_PART', ['0.0.1', '127.0.0.1.example.com']],
  ])('a secret that is not bound to the host, %s, refuses, and nothing is sent', async (name, hosts) => {
    await storeSealed(name, 'a long token', hosts);
    const { url, seen } = await seeing(() => [200]);
    const outcome = await call({ url, body: { token: naming(name)[0] } });
    expect(outcome).toMatchObject({ kind: 'refused', code: 'secret_host' });
    expect(seen).toEqual([]);
  });

  test('more than 20 secrets, or 64 kB of them, refuse, and nothing is sent', async () => {
    const names = Array.from({ length: 21 }, (_, n) => `MANY_${n}`);
    for (const name of names) await storeSealed(name, 'x'.repeat(8_000), ['127.0.0.1']);
    const { url, seen } = await seeing(() => [200]);
    const refused = { kind: 'refused', code: 'request_invalid' };
    expect(await call({ url, body: naming(...names) })).toMatchObject(refused);
    expect(await call({ url, body: naming(...Array<string>(9).fill('MANY_0')) })).toMatchObject(refused);
    expect(seen).toEqual([]);
    expect(await call({ url, body: naming(...Array<string>(8).fill('MANY_0')) })).toMatchObject({ kind: 'done' });
  });

  test.each(['secret\r\nx: y', 'secret 😀', 'secret Ā'])(
    'a header that cannot be sent, %j, refuses without showing it',
    async (text) => {
      const { url } = await seeing(() => [200]);
      const outcome = await call({ url, headers: { a: text } });
      expect(outcome).toMatchObject({ kind: 'refused', code: 'request_invalid' });
      expect(JSON.stringify(outcome)).not.toContain('secret');
    },
  );
});

describe('what is kept', () => {
  test('JSON as a value', async () => {
    const { url } = await seeing(() => [201, '{"id":7,"tags":["a"]}', json]);
    const output = { status: 201, content_type: 'application/json', body: { id: 7, tags: ['a'] }, is_cut: false };
    expect(await call({ url })).toEqual({ kind: 'done', output });
  });

  test.each([
    ['text', 'thanks', 'thanks'],
    ['JSON that is none', '{"id":', '{"id":'],
    ['a NUL', 'a\0b', 'ab'],
    ['a name that objects cannot have', '{"__proto__":1}', '{"__proto__":1}'],
    ['lists in lists', `${'['.repeat(5_000)}${']'.repeat(5_000)}`, `${'['.repeat(5_000)}${']'.repeat(5_000)}`],
    ['nothing', '', ''],
  ])('%s as text', async (_what, sent, kept) => {
    const { url } = await seeing(() => [200, sent]);
    expect(await call({ url })).toMatchObject({ kind: 'done', output: { status: 200, body: kept, is_cut: false } });
  });

  test('a whole number that JavaScript cannot hold, as a text', async () => {
    const sent =
      '{"id":12345678901234567890,"ids":[-9007199254740993,9007199254740991],"text":"a \\" 12345678901234567890","part":0.12345678901234566}';
    const { url } = await seeing(() => [200, sent, json]);
    const body = {
      id: '12345678901234567890',
      ids: ['-9007199254740993', 9007199254740991],
      text: 'a " 12345678901234567890',
      part: 0.12345678901234566,
    };
    expect(await call({ url })).toMatchObject({ kind: 'done', output: { body, is_cut: false } });
  });

  test('of a long answer the begin, as text', async () => {
    const { url } = await seeing(() => [200, JSON.stringify({ text: 'ä'.repeat(50_000) }), json]);
    const outcome = (await call({ url })) as Extract<CallOutcome, { kind: 'done' }>;
    expect(outcome.output).toMatchObject({ status: 200, is_cut: true, body: expect.stringMatching(/^\{"text":"ä+$/) });
    expect(Buffer.byteLength(JSON.stringify(outcome.output))).toBeLessThanOrEqual(16 * 1024);
  });

  test('a secret that comes back by its name, in values, in names and within an error', async () => {
    const body = JSON.stringify({ [stored.TOKEN]: `it is ${stored.TOKEN}`, url: encodeURIComponent(stored.QUERY) });
    const { url } = await seeing(() => [400, body, json]);
    const fields = {
      url: marked(`${url}?q={{ secrets.QUERY }}`, 'QUERY'),
      headers: { a: marked('{{ secrets.TOKEN }}', 'TOKEN') },
    };
    const outcome = await call(fields);
    expect(outcome).toMatchObject({
      kind: 'refused',
      output: { body: { '{{ secrets.TOKEN }}': 'it is {{ secrets.TOKEN }}', url: '{{ secrets.QUERY }}' } },
    });
    for (const value of Object.values(stored)) expect(JSON.stringify(outcome)).not.toContain(JSON.stringify(value).slice(1, -1));
  });
});

describe('the class of an answer', () => {
  test.each<[number, object]>([
    [200, { kind: 'done' }],
    [204, { kind: 'done' }],
    [299, { kind: 'done' }],
    [301, { kind: 'refused', code: 'http_301' }],
    [304, { kind: 'refused', code: 'http_304' }],
    [307, { kind: 'refused', code: 'http_307' }],
    [400, { kind: 'refused', code: 'http_400', message: 'HTTP 400' }],
    [401, { kind: 'refused' }],
    [404, { kind: 'refused' }],
    [410, { kind: 'refused' }],
    [422, { kind: 'refused' }],
    [408, { kind: 'busy', retryAfterMs: 30_000 }],
    [425, { kind: 'busy' }],
    [429, { kind: 'busy' }],
    [500, { kind: 'refused', code: 'http_500' }],
    [503, { kind: 'refused' }],
    [599, { kind: 'refused' }],
  ])('%d', async (status, wanted) => {
    const { url } = await seeing(() => [status]);
    const outcome = await call({ url });
    expect(outcome).toMatchObject(wanted);
  });

  test.each([{ method: 'GET' }, { method: 'PUT', body: 'x' }, { idempotent: true }] as Partial<HttpRequest>[])(
    '500 of a call that may be made again: %p',
    async (more) => {
      const { url } = await seeing(() => [500]);
      expect(await call({ url, ...more })).toMatchObject({ kind: 'failed', code: 'http_500' });
    },
  );

  test.each<[string, number]>([
    ['7', 7_000],
    ['0', 1_000],
    ['999999999', 3_600_000],
    ['tomorrow', 30_000],
    ['-5', 30_000],
  ])('429 with Retry-After %s', async (header, retryAfterMs) => {
    const { url } = await seeing(() => [429, '', { 'retry-after': header }]);
    expect(await call({ url })).toMatchObject({ kind: 'busy', retryAfterMs });
  });

  test('a redirect is not followed', async () => {
    const { url, seen } = await seeing(() => [302, '', { location: '/other' }]);
    expect(await call({ url })).toMatchObject({ kind: 'refused', message: expect.stringMatching(/redirects/) });
    expect(seen.map(({ path }) => path)).toEqual(['/in']);
  });
});

describe('where no answer comes', () => {
  test('a refused connection failed, and nothing was sent', async () => {
    const url = await receiver(() => undefined);
    await stops.pop()!();
    expect(await call({ url })).toMatchObject({ kind: 'failed', code: 'connect_failed' });
  });

  test('so did a name that is not there', async () => {
    const lookup = async () => Promise.reject(Object.assign(new Error('no'), { code: 'ENOTFOUND' }));
    const outcome = await call({ url: 'https://nowhere.example.com/' }, { lookup });
    expect(outcome).toMatchObject({ kind: 'failed', code: 'connect_failed' });
  });

  test('and a receiver with whom no TLS begins', async () => {
    const url = await listening(createTcpServer((socket) => socket.on('data', () => socket.end('no'))));
    const outcome = await call({ url: url.replace('http:', 'https:') });
    expect(outcome).toMatchObject({ kind: 'failed', code: 'connect_failed' });
  });

  test('the time is over before a connection is there: nothing was sent', async () => {
    const lookup = () => new Promise<never>(() => undefined);
    const outcome = await call({ url: 'https://slow.example.com/', timeout_ms: 150 }, { lookup });
    expect(outcome).toMatchObject({ kind: 'failed', code: 'timeout' });
  });

  test.each<[string, (socket: Socket) => unknown, string]>([
    ['nothing', () => undefined, 'timeout'],
    ['half a head', (socket) => socket.write('HTTP/1.1 200 OK\r\nx-a: '), 'timeout'],
    ['an end', (socket) => socket.end(), 'answer_invalid'],
    ['a reset', (socket) => socket.resetAndDestroy(), 'answer_invalid'],
    ['no HTTP', (socket) => socket.end('hello'), 'answer_invalid'],
    [
      'a change of protocol',
      (socket) => socket.write('HTTP/1.1 101 S\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
      'answer_invalid',
    ],
  ])('the request arrived and %s came: nobody knows', async (_what, answer, code) => {
    const { url, connections } = await hostile(answer);
    expect(await call({ url, body: 'x', timeout_ms: 200 })).toMatchObject({ kind: 'unknown', code });
    expect(connections()).toBe(1);
  });

  test('a connection refused is not tried again by itself, a GET neither', async () => {
    const { url, connections } = await hostile((socket) => socket.resetAndDestroy());
    expect(await call({ url, method: 'GET' })).toMatchObject({ kind: 'unknown' });
    expect(connections()).toBe(1);
  });

  test('what may be asked again', () => {
    const url = 'https://example.com/';
    for (const method of ['GET', 'HEAD', 'PUT', 'DELETE'] as const) expect(httpRequest.isRepeatable({ url, method })).toBe(true);
    for (const method of ['POST', 'PATCH'] as const) {
      expect(httpRequest.isRepeatable({ url, method })).toBe(false);
      expect(httpRequest.isRepeatable({ url, method, idempotent: true })).toBe(true);
    }
    expect(httpRequest.isRepeatable({ url })).toBe(false);
  });
});

describe('an answer of 200 whose body breaks off', () => {
  const half: (socket: Socket) => unknown = (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"half":');

  test('is an answer: it acted', async () => {
    const { url } = await hostile(half);
    const output = { status: 200, body: '{"half":', is_cut: true };
    expect(await call({ url, body: 'x' })).toMatchObject({ kind: 'done', output });
  });

  test('of a call that may be asked again has failed', async () => {
    const { url } = await hostile(half);
    expect(await call({ url, method: 'GET' })).toMatchObject({ kind: 'failed', code: 'answer_broken' });
  });

  test('as it does where the rest does not come in time', async () => {
    const { url } = await hostile((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9999\r\n\r\n');
      drip(socket, 'a');
    });
    expect(await call({ url, body: 'x', timeout_ms: 200 })).toMatchObject({ kind: 'done', output: { is_cut: true } });
  });
});

const ok = 'HTTP/1.1 200 OK\r\n';
const chunked = `${ok}transfer-encoding: chunked\r\n\r\n`;
/** What is taken before the connection is closed, and what the system keeps between the two. */
const taken = 16 * 1024 * 1024;

describe('100 MB at full speed are closed after a fraction', () => {
  test.each<[string, string, string, string]>([
    ['of a body', `${ok}content-length: ${floodBytes}\r\n\r\n`, 'a', 'done'],
    ['of tiny chunks', chunked, '1\r\na\r\n', 'done'],
    ['of the size of a chunk', chunked, '0', 'done'],
    ['of trailers', `${chunked}0\r\n`, 'a:\r\n', 'done'],
    ['of a refusal', `HTTP/1.1 500 No\r\ncontent-length: ${floodBytes}\r\n\r\n`, 'a', 'refused'],
    ['of a status line', 'HTTP/1.1 200 ', 'a', 'unknown'],
    ['of a header', `${ok}x-a: `, 'a', 'unknown'],
    ['of headers', ok, 'a:\r\n', 'unknown'],
    ['of interim answers', '', 'HTTP/1.1 103 Early Hints\r\nlink: a\r\n\r\n', 'unknown'],
  ])('%s', async (_what, head, piece, kind) => {
    const { url, written } = await hostile((socket) => {
      socket.write(head);
      flood(socket, piece);
    });
    const before = process.memoryUsage().rss;
    const outcome = await call({ url, body: 'x' });
    expect(outcome.kind).toBe(kind);
    expect(written()).toBeLessThan(taken);
    expect(process.memoryUsage().rss - before).toBeLessThan(64 * 1024 * 1024);
    expect(Buffer.byteLength(JSON.stringify(outcome))).toBeLessThan(17 * 1024);
  });
});

describe('the inside is closed', () => {
  const inside = ['127.0.0.1', '10.0.0.1', '172.16.0.1', '192.168.0.1', '169.254.169.254', '100.64.0.1', '0.0.0.0', '[::1]'];
  const more = ['[fc00::1]', '[fe80::1]', '[::ffff:127.0.0.1]', '[64:ff9b::7f00:1]', '[fd00:ec2::254]', '2130706433', '0x7f.1'];

  test.each([...inside, ...more])('%s, whether it is written or a name leads there', async (host) => {
    const rules = { allowNetworks: [] };
    expect(await call({ url: `http://${host}/` }, rules)).toMatchObject({ kind: 'refused', code: 'address_forbidden' });
    const address = URL.parse(`http://${host}/`)!.hostname.replace(/^\[|\]$/g, '');
    const lookup = async () => [{ address: '8.8.8.8' }, { address }];
    const named = await call({ url: 'https://rebound.example.com/' }, { ...rules, lookup });
    expect(named).toMatchObject({ kind: 'refused', code: 'address_forbidden' });
    expect(JSON.stringify(named)).not.toContain(address);
  });

  test('a name is looked up once: the address that was judged is called', async () => {
    let looked = 0;
    const { url, seen } = await seeing(() => [200]);
    const lookup = async () => {
      looked += 1;
      return [{ address: looked === 1 ? '127.0.0.1' : '10.0.0.1' }];
    };
    const port = new URL(url).port;
    expect(await call({ url: `http://twice.example.com:${port}/` }, { lookup })).toMatchObject({ kind: 'done' });
    expect([looked, seen.length]).toEqual([1, 1]);
  });
});

describe('what can be saved', () => {
  const faults = (fields: unknown) =>
    httpRequest.fields.validate(fields, { abortEarly: false }).error?.details.map(({ path }) => path.join('.'));
  beforeEach(() => setUrlRules({ webhookAllowHttp: false, webhookAllowNetworks: [] }));
  const url = 'https://crm.example.com/leads';

  test('its own example', () => {
    expect(faults(httpRequest.example)).toBeUndefined();
  });

  test.each<[string, object, string]>([
    ['no URL', {}, 'url'],
    ['http', { url: 'http://crm.example.com/' }, 'url'],
    ['an address of the inside', { url: 'https://10.0.0.1/' }, 'url'],
    ['an address of the inside in one number', { url: 'https://2130706433/' }, 'url'],
    ['a password in the URL', { url: 'https://a:b@crm.example.com/' }, 'url'],
    ['no URL at all', { url: 'crm' }, 'url'],
    ['a secret in the path', { url: `https://crm.example.com/${marksIn('{{ secrets.TOKEN }}').TOKEN}` }, 'url'],
    ['another method', { url, method: 'TRACE' }, 'method'],
    ['a body of a GET', { url, method: 'GET', body: 'x' }, 'body'],
    ['a body of 64 kB + 1', { url, body: 'x'.repeat(65_537) }, 'body'],
    ['the header that frames the request', { url, headers: { 'Content-Length': '1' } }, 'headers'],
    ['the key of the step', { url, headers: { 'idempotency-key': '1' } }, 'headers'],
    ['a header whose name is none', { url, headers: { 'a b': '1' } }, 'headers'],
    ['11 s', { url, timeout_ms: 11_000 }, 'timeout_ms'],
    ['0 s', { url, timeout_ms: 0 }, 'timeout_ms'],
    ['an unknown field', { url, follow: true }, 'follow'],
  ])('not %s', (_what, fields, path) => {
    expect(faults(fields)).toEqual([path]);
  });
});

test('calls of an organization to one host share a pool', () => {
  const pool = (url: string) => httpRequest.pool('org', { url });
  expect(pool('https://CRM.example.com/a?b')).toEqual({ id: 'http:org:crm.example.com', width: 10 });
  expect(pool('https://crm.example.com:8443/')).toEqual({ id: 'http:org:crm.example.com:8443', width: 10 });
});
