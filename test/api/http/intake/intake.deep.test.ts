import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from '@jest/globals';
import { uuidv7 } from '../../../../src/platform/ids.ts';
import { type Tenant, useApp } from '../../../support/app.ts';
import { type RawRequest, rawRequest } from '../../../support/raw-request.ts';
import { storedContacts } from '../../../support/stored/contacts.ts';
import { waitFor } from '../../../support/wait-for.ts';

const mebi = 2 ** 20;
const app = useApp({
  env: {
    BODIES_MAX_BYTES: String(16 * mebi),
    BODIES_ORGANIZATION_MAX_BYTES: String(16 * mebi),
    BODIES_ANONYMOUS_MAX_BYTES: String(16 * mebi),
    UPLOADS_PER_ORGANIZATION: '2',
    DOWNLOADS_PER_ORGANIZATION: '2',
    WAITS_PER_ORGANIZATION: '2',
    BODY_MIN_BYTES_PER_SECOND: '100',
    BODIES_UNREAD_BYTES_PER_SECOND: String(mebi),
    ALLOWED_ORIGINS: 'https://other.example',
    OPERATOR_PASSWORD: 'operator password',
  },
  config: { connectionStallTimeoutMs: 8_000 },
});

/** A connection that says nothing, and is cut when nothing has passed for `connectionStallTimeoutMs`. */
async function silent(): Promise<Socket> {
  const socket = connect(Number(new URL(app.base).port), '127.0.0.1');
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

const hook = '/v1/providers/messaging-app/webhook';
const opened: RawRequest[] = [];
afterEach(() => {
  for (const { socket } of opened.splice(0)) socket.destroy();
});

/** A request whose body is announced with so many bytes. */
async function begun(line: string, headers: string[], bytes: number, body: string | Buffer = ''): Promise<RawRequest> {
  const request = await rawRequest(
    app.base,
    [`${line} HTTP/1.1`, `Content-Length: ${bytes}`, 'Content-Type: application/json', ...headers],
    body,
  );
  opened.push(request);
  return request;
}
const keyOf = ({ key }: Tenant) => [`X-Api-Key: ${key}`];
const seemsSigned = [`X-Hub-Signature-256: sha256=${'0'.repeat(64)}`];
const all = (count: number, one: () => Promise<RawRequest>) => Promise.all(Array.from({ length: count }, one));
const statusesOf = (requests: RawRequest[], status: number) => requests.filter((each) => each.status() === status).length;

describe('bodies without a credential', () => {
  test('that cannot be signed are answered before anything of them is read', async () => {
    for (const headers of [[], ['X-Hub-Signature-256: sha256=00'], ['X-Hub-Signature-256: x']]) {
      const request = await begun(`POST ${hook}`, headers, 4 * mebi);
      await waitFor('the answer', () => request.status() === 401);
    }
  });

  test('to a callback of a connection, without any of the headers by which its provider proves itself, likewise', async () => {
    for (const kind of ['payments', 'shipping']) {
      const request = await begun(`POST /v1/providers/${kind}/${uuidv7()}/webhook`, [], 200 * 1024);
      await waitFor('the answer', () => request.status() === 401);
    }
  });

  test('hold no more than one address may, and others go on: what has room is held, the rest is a 503', async () => {
    const halves = await all(20, () => begun(`POST ${hook}`, seemsSigned, 2 * mebi, Buffer.alloc(mebi)));
    await waitFor('those beyond the bound to be refused', () => statusesOf(halves, 503) >= 16);
    expect(statusesOf(halves, 0)).toBe(4);
    // A tenant's bodies are counted apart, and so is a small one of somebody who logs in.
    const created = await app.call('contacts.create', { body: { phone_number: `+${app.phone()}`, name: 'x'.repeat(200) } });
    expect(created.status).toBe(201);
    // So are logins, whatever their length is told by, and webhooks of the usual size.
    const body = { email: 'nobody@example.com', password: 'wrong-password' };
    expect((await app.call('auth.login', { key: null, body })).status).toBe(401);
    const login = JSON.stringify(body);
    const inChunks = await rawRequest(
      app.base,
      ['POST /v1/auth/login HTTP/1.1', 'Transfer-Encoding: chunked', 'Content-Type: application/json'],
      `${login.length.toString(16)}\r\n${login}\r\n0\r\n\r\n`,
    );
    opened.push(inChunks);
    // A password is hashed at a low priority: on a busy machine that takes long.
    await waitFor('the answer', () => inChunks.status() === 401, 180_000);
    expect((await app.webhook({ entry: [], padding: 'x'.repeat(60_000) })).status).toBe(200);
    expect(statusesOf(halves, 0)).toBe(4);
    for (const { socket } of halves) socket.destroy();
    await waitFor('their room', async () => (await app.webhook({ entry: [], padding: 'x'.repeat(3 * mebi) })).status === 200);
  });
});

describe("a tenant's bodies", () => {
  test('hold no more than BODIES_ORGANIZATION_MAX_BYTES', async () => {
    const requests = await all(18, () => begun('POST /v1/messages', keyOf(app.tenant), mebi - 1, Buffer.alloc(mebi - 2, ' ')));
    await waitFor('those beyond the bound to be refused', () => statusesOf(requests, 503) > 0);
    expect(statusesOf(requests, 503)).toBeLessThanOrEqual(2);
    for (const { socket } of requests) socket.destroy();
  });
});

describe('a body that is too large is a 413 at once, whatever room there is', () => {
  test('told by its length: nothing of it is read or held', async () => {
    const request = await begun('POST /v1/messages', keyOf(await app.organization()), 20 * mebi);
    await waitFor('the answer', () => request.status() > 0);
    expect(request.status()).toBe(413);
  });

  test('sent whole: it is not held on its way', async () => {
    const tenant = await app.organization();
    const body = Buffer.alloc(20 * mebi, ' ');
    const request = await begun('POST /v1/messages', keyOf(tenant), body.length, body);
    await waitFor('the answer', () => request.status() > 0);
    expect(request.status()).toBe(413);
  });

  test.each([
    ['plain', [], Buffer.alloc(2 * mebi, ' ')],
    ['packed', ['Content-Encoding: gzip'], gzipSync(Buffer.alloc(2 * mebi, ' '), { level: 0 })],
  ])('in chunks, %s: once more than the limit has come', async (_how, headers, body) => {
    const { key } = await app.organization();
    const request = await rawRequest(app.base, [
      'POST /v1/messages HTTP/1.1',
      'Transfer-Encoding: chunked',
      'Content-Type: application/json',
      `X-Api-Key: ${key}`,
      ...headers,
    ]);
    opened.push(request);
    // The end of it never comes.
    for (let from = 0; from <= mebi; from += mebi / 8) {
      const chunk = body.subarray(from, from + mebi / 8);
      request.socket.write(`${chunk.length.toString(16)}\r\n`);
      request.socket.write(chunk);
      request.socket.write('\r\n');
    }
    await waitFor('the answer', () => request.status() > 0);
    expect(request.status()).toBe(413);
  });
});

describe('a body must keep coming', () => {
  test.each([
    ['a JSON body', '/v1/messages', 'application/json'],
    ['a file', '/v1/contacts/import', 'text/csv'],
  ])('%s that comes byte by byte is cut', async (_what, path, type) => {
    const request = await rawRequest(
      app.base,
      [`POST ${path} HTTP/1.1`, 'Content-Length: 100000', `Content-Type: ${type}`, ...keyOf(await app.organization())],
      'name\n',
    );
    opened.push(request);
    const drip = setInterval(() => request.socket.write('x'), 500);
    await waitFor('the end of the connection', request.isClosed).finally(() => clearInterval(drip));
  });
});

test('a refused request that goes on sending, or sends nothing, does not keep its connection', async () => {
  const requests = await all(20, () => begun('POST /v1/messages', ['X-Api-Key: none'], mebi, '{'));
  await waitFor('the answers', () => statusesOf(requests, 401) === requests.length);
  await waitFor('the connections to end', () => requests.every(({ isClosed }) => isClosed()));
});

test.each([
  ['GET /healthz', 200],
  ['GET /readyz', 200],
  ['GET /openapi.json', 200],
  ['GET /docs', 200],
  ['GET /ops/queues', 401],
  ['GET /nowhere', 404],
  ['GET /%', 404],
  ['OPTIONS /v1/messages', 204],
])('%s does not wait for a body nobody reads', async (line, status) => {
  const request = await begun(line, ['Origin: https://other.example', 'Access-Control-Request-Method: POST'], 1e9, 'x');
  const other = await silent();
  await waitFor('the answer', () => request.status() > 0);
  expect(request.status()).toBe(status);
  await waitFor('the connection to end', request.isClosed);
  // Not because it stood still.
  expect(other.closed).toBe(false);
  other.destroy();
});

test('a refused request whose body comes keeps its connection', async () => {
  const request = await begun('POST /v1/messages', ['X-Api-Key: none'], 4, '{');
  await waitFor('the answer', () => request.status() === 401);
  request.socket.write('"a"');
  // It serves the next request.
  let answers = '';
  request.socket.on('data', (bytes: Buffer) => {
    answers += bytes.toString('latin1');
  });
  request.socket.write('GET /healthz HTTP/1.1\r\nHost: test\r\n\r\n');
  await waitFor('the answer to the next request', () => answers.includes('HTTP/1.1 200'));
  expect(request.isClosed()).toBe(false);
});

test('of large bodies that are refused only so much is read; a small one still has its time', async () => {
  const small = await begun('POST /v1/messages', ['X-Api-Key: none'], 4, '{');
  const large = await all(10, () => begun('POST /v1/messages', ['X-Api-Key: none'], 1e9, Buffer.alloc(3 * mebi, 0x20)));
  const closed: RawRequest[] = [];
  for (const request of [small, ...large]) request.socket.once('close', () => closed.push(request));
  const other = await silent();
  await waitFor('all to be closed', () => closed.length === 11);
  expect(other.closed).toBe(false);
  other.destroy();
  expect(statusesOf([small, ...large], 401)).toBe(11);
  expect(closed.at(-1)).toBe(small);
});

describe('places of an organization', () => {
  test('files it uploads at once', async () => {
    const tenant = await app.organization();
    const upload = () =>
      rawRequest(
        app.base,
        ['POST /v1/contacts/import HTTP/1.1', 'Content-Length: 100000', 'Content-Type: text/csv', ...keyOf(tenant)],
        'name\n',
      );
    const held = [await upload(), await upload()];
    opened.push(...held);
    await waitFor('both to have begun', async () => {
      const [row] = await app.rows('select count(*)::int as n from contact_imports where organization_id = $1', [
        tenant.organizationId,
      ]);
      return row.n === 2;
    });
    const refused = await app.call('contacts.import', { key: tenant.key, body: 'name\nAda\n' });
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
    expect(refused.body.error.message).toMatch(/^At most 2 files of an organization are uploaded at once/);
    const other = await app.organization();
    expect((await app.call('contacts.import', { key: other.key, body: 'name\nAda\n' })).status).toBe(201);
    for (const { socket } of held) socket.destroy();
    await waitFor(
      'a free place',
      async () => (await app.call('contacts.import', { key: tenant.key, body: 'name\nAda\n' })).status === 201,
    );
  });

  test('files it downloads at once; one that is not read is cut, and its place is free', async () => {
    const tenant = await app.organization();
    await storedContacts.addMany(app, 3_000, (n) => ({
      organization_id: tenant.organizationId,
      name: `P${n}`,
      phone_number: '',
      custom_fields: { a: 'x'.repeat(8_000) },
    }));
    const unread = async () => {
      const request = await rawRequest(app.base, ['GET /v1/contacts/export HTTP/1.1', ...keyOf(tenant)]);
      opened.push(request);
      await waitFor('the first bytes', () => request.status() === 200);
      request.socket.pause();
      return request;
    };
    const held = [await unread(), await unread()];
    const refused = await app.call('contacts.export', { key: tenant.key });
    expect([refused.status, refused.body.error.code]).toEqual([503, 'unavailable']);
    expect((await app.call('contacts.export', { key: (await app.organization()).key })).status).toBe(200);
    // Both at once: one that is read again before it was cut would go on.
    const freed = async () => {
      const both = await Promise.all([1, 2].map(() => app.call('contacts.export', { key: tenant.key })));
      return both.every(({ status }) => status === 200);
    };
    await waitFor('those that are not read to be cut', freed);
    for (const { socket } of held) socket.resume();
    await waitFor('the clients to notice', () => held.every(({ isClosed }) => isClosed()));
  });

  test('requests that wait for their operation; the others are answered at once', async () => {
    const [tenant, other] = [await app.organization(), await app.organization()];
    // No worker runs here: whoever waits, waits.
    const wait = async ({ key }: Tenant) => {
      const headers = { prefer: 'wait=2' };
      const { status, headers: replied } = await app.call('contacts.exports.create', { key, body: {}, headers });
      return [status, replied.get('preference-applied')];
    };
    const replies = await Promise.all([...Array.from({ length: 4 }, () => wait(tenant)), wait(other)]);
    expect(replies.map(([status]) => status)).toEqual([201, 201, 201, 201, 201]);
    expect(replies.slice(0, 4).filter(([, applied]) => applied === null)).toHaveLength(2);
    expect(replies[4]).toEqual([201, 'wait=2']);
  });
});
