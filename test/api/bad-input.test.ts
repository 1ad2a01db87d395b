import { beforeAll, describe, expect, test } from '@jest/globals';
import { type Channel, type Reply, useApp } from '../support/app.ts';
import { definitions } from '../support/contract.ts';

const app = useApp();
let channel: Channel;
let phone: string;

beforeAll(async () => {
  channel = await app.connect();
  ({ phone } = await app.conversation(channel));
});

const json = { 'content-type': 'application/json' };
const good = () => ({ channel_id: channel.id, to: `+${phone}`, type: 'text', text: { body: 'hi' } });

/** Its status and code, the standard body, nothing stored, and exactly one line in the log. */
async function refused(request: () => Promise<Reply>, status: number, code: string): Promise<Reply> {
  const before = await app.counts();
  const since = app.log.lines.length;
  const reply = await request();
  expect([reply.status, reply.body.error?.code]).toEqual([status, code]);
  expect(reply.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(reply.body.error.request_id).toBe(reply.headers.get('x-request-id'));
  expect(typeof reply.body.error.message).toBe('string');
  expect(await app.counts()).toEqual(before);
  const lines = app.requestLines(since);
  expect(lines.map((line) => [line.status, line.error_code, line.level])).toEqual([[status, code, 30]]);
  return reply;
}

const post = (body: RequestInit['body'], headers: Record<string, string> = json) =>
  app.raw('POST', '/v1/messages', { body, headers });

test('the request these are made from is a good one', async () => {
  expect((await post(JSON.stringify(good()))).status).toBe(201);
});

describe('a body that cannot be read', () => {
  test.each([
    ['cut off', '{"channel_id": '],
    ['two documents', '{}{}'],
    ['a comment', '{/* */}'],
    ['bytes that are no text', new Uint8Array([0x7b, 0xff, 0x7d])],
    ['a text in Latin-1', Buffer.from('{"text": "déjà"}', 'latin1')],
    ['a NaN', '{"a": NaN}'],
  ])('%s: 400', async (_what, body) => {
    await refused(() => post(body), 400, 'bad_request');
  });

  test.each([
    ['plain text', { 'content-type': 'text/plain' }],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['another JSON type', { 'content-type': 'application/merge-patch+json' }],
    ['latin1', { 'content-type': 'application/json; charset=iso-8859-1' }],
    ['UTF-16', { 'content-type': 'application/json; charset=utf-16' }],
    ['UTF-7 in quotes', { 'content-type': 'application/json; x=1; Charset = "utf-7"' }],
    ['an unknown charset', { 'content-type': 'application/json; charset=utf-99' }],
    ['an unknown encoding', { ...json, 'content-encoding': 'zstandard' }],
  ])('%s: 415', async (_what, headers) => {
    await refused(() => post(JSON.stringify(good()), headers as Record<string, string>), 415, 'unsupported_media_type');
  });

  test('a body without a content type: 415', async () => {
    await refused(() => post(new Blob([JSON.stringify(good())]), {}), 415, 'unsupported_media_type');
  });

  test('more than 1 MiB: 413', async () => {
    await refused(
      () => post(JSON.stringify({ ...good(), text: { body: 'x'.repeat(2 * 1024 * 1024) } })),
      413,
      'payload_too_large',
    );
  });

  test('more than 1 MiB once inflated: 413', async () => {
    const stream = new Blob([JSON.stringify({ a: 'x'.repeat(8 * 1024 * 1024) })]).stream();
    const zipped = await new Response(stream.pipeThrough(new CompressionStream('gzip'))).arrayBuffer();
    await refused(() => post(zipped, { ...json, 'content-encoding': 'gzip' }), 413, 'payload_too_large');
  });
});

describe('a body that is read and not valid', () => {
  test.each(['null', '5', '"text"', '[]', 'true'])('%s: 422', async (body) => {
    await refused(() => post(body), 422, 'invalid_request');
  });

  test('nothing at all names what is missing', async () => {
    const { body } = await refused(() => post(undefined), 422, 'invalid_request');
    expect(body.error.details.map(({ field }: { field?: string }) => field)).toEqual(['channel_id', 'type', undefined]);
  });

  test('every fault has its own detail', async () => {
    const body = { ...good(), channel_id: 5, type: 'fax', text: { body: 7, preview_url: 'yes', colour: 1 }, colour: 'red' };
    const reply = await refused(() => post(JSON.stringify(body)), 422, 'invalid_request');
    const details = reply.body.error.details as { field: string; location: string; code: string; message: string }[];
    expect(new Set(details.map(({ field }) => field))).toEqual(new Set(['channel_id', 'type', 'text', 'colour']));
    for (const { location, code, message } of details)
      expect([location, typeof code, typeof message]).toEqual(['body', 'string', 'string']);
  });

  test.each([
    ['a number for text', { text: { body: 7 } }, 'text.body'],
    ['text for a flag', { text: { body: 'x', preview_url: 'yes' } }, 'text.preview_url'],
    ['an unknown property', { text: { body: 'x', colour: 1 } }, 'text.colour'],
    ['too long a text', { text: { body: 'x'.repeat(4_097) } }, 'text.body'],
    ['no text', { text: { body: '' } }, 'text.body'],
    ['a list for an object', { text: [] }, 'text'],
    ['a key of the prototype', { constructor: { prototype: 1 } }, 'constructor'],
    ['another one', { text: { body: 'x', toString: 1 } }, 'text.toString'],
  ])('%s: 422 at its place', async (_what, more, field) => {
    const { body } = await refused(() => post(JSON.stringify({ ...good(), ...more })), 422, 'invalid_request');
    expect(body.error.details[0].field).toBe(field);
  });

  test.each([
    ['at the top', (text: string) => text.replace('{', '{"__proto__": {"a": 1}, ')],
    ['instead of a property', (text: string) => text.replace('"to"', '"__proto__": {"user_id": "US.1"}, "to"')],
    ['within', (text: string) => text.replace('"body"', '"__proto__": {"preview_url": true}, "body"')],
  ])('__proto__ %s: 422', async (_what, change) => {
    const { body } = await refused(() => post(change(JSON.stringify(good()))), 422, 'invalid_request');
    expect(body.error.details[0].field).toContain('__proto__');
  });

  test('deep nesting: 422, not a stack that runs out', async () => {
    const deep = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
    for (const levels of [65, 1_000, 100_000]) await refused(() => post(deep(levels)), 422, 'invalid_request');
    const list = JSON.stringify(good()).replace('"text":{', `"template":${'['.repeat(100_000)}${']'.repeat(100_000)},"text":{`);
    await refused(() => post(list), 422, 'invalid_request');
  });
});

describe('characters no text may hold', () => {
  test.each([
    ['NUL in content', { text: { body: 'a\u0000b' } }, 'text.body'],
    ['NUL in an id', { channel_id: '\u0000' }, 'channel_id'],
    ['NUL in a key', { 'a\u0000b': 1 }, 'a?b'],
    ['half a character', { text: { body: 'a\ud83d' } }, 'text.body'],
  ])('%s: 422 at its place', async (_what, more, field) => {
    const { body } = await refused(() => post(JSON.stringify({ ...good(), ...more })), 422, 'invalid_request');
    expect(body.error.details[0]).toMatchObject({ field, location: 'body' });
  });

  test('NUL in the query: 422', async () => {
    const { body } = await refused(() => app.raw('GET', '/v1/messages?cursor=a%00b'), 422, 'invalid_request');
    expect(body.error.details[0]).toMatchObject({ field: 'cursor', location: 'query' });
  });

  test('NUL in the path: the 404 of a malformed id', async () => {
    await refused(() => app.raw('GET', '/v1/channels/%00'), 404, 'not_found');
    await refused(() => app.raw('POST', '/v1/settings/developer/webhooks/endpoints/%00/test'), 404, 'not_found');
    await refused(() => app.raw('GET', '/v1/providers/messaging-app/webhook/%00'), 404, 'not_found');
  });

  test('a path that cannot be decoded: 400', async () => {
    await refused(() => app.raw('GET', '/v1/channels/%E0%A4%A'), 400, 'bad_request');
  });

  test.each(definitions.filter(({ params }) => params).map((endpoint) => [endpoint.operationId, endpoint] as const))(
    'a broken escape in the path of %s: the 400 its contract declares',
    async (_id, { method, path }) => {
      const { status } = await app.raw(method, path.replace(/:\w+/g, '%zz'));
      expect(status).toBe(400);
    },
  );

  test.each([
    ['a body', 'POST', '/v1/contacts', '{"": 1}'],
    ['a body, with a half character', 'POST', '/v1/contacts', '{"": "\\ud800"}'],
    ['a query', 'GET', '/v1/contacts?=1', undefined],
    ['a query, twice', 'GET', '/v1/contacts?=1&=2', undefined],
  ])('a field without a name in %s: 422, and no empty `field`', async (_where, method, path, text) => {
    const { body } = await refused(
      () => app.raw(method, path, { body: text, headers: text ? json : {} }),
      422,
      'invalid_request',
    );
    for (const detail of body.error.details) expect(detail.field ?? 'left out').not.toBe('');
  });

  test.each([
    ['a repeated parameter', 'GET', '?hub.mode=subscribe&hub.mode=subscribe', 422],
    ['an unknown parameter that cannot be stored', 'GET', '?colour=%00', 422],
    ['an unknown parameter', 'GET', '?colour=red', 403],
    ['a repeated parameter that cannot be stored', 'POST', '?a=1&a=%00', 422],
  ])("on the provider's webhook %s (%s %s) is a reply its contract declares", async (_what, method, query, wanted) => {
    const headers: Record<string, string> =
      method === 'POST' ? { ...json, 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` } : {};
    for (const path of ['', `/${channel.id}`]) {
      const given = { headers, key: null, ...(method === 'POST' && { body: '{}' }) };
      const { status } = await app.raw(method, `/v1/providers/messaging-app/webhook${path}${query}`, given);
      expect(status).toBe(wanted);
    }
  });
});

describe('paths and methods nobody serves', () => {
  test.each([
    ['GET', '/v1/nothing'],
    ['DELETE', '/v1/messages'],
    ['PUT', '/v1/channels'],
    ['GET', '/v2/messages'],
    ['POST', '/'],
  ])('%s %s: 404', async (method, path) => {
    await refused(() => app.raw(method, path), 404, 'not_found');
  });

  test('the credential is looked at before the body', async () => {
    await refused(() => app.raw('POST', '/v1/messages', { body: '{', headers: json, key: null }), 401, 'unauthorized');
  });
});

test.each([
  ['none', undefined],
  ['wrong', `sha256=${'0'.repeat(64)}`],
  ['cut off', 'sha256=00'],
  ['of another kind', `sha1=${'0'.repeat(40)}`],
])("a provider's signature that is %s: 401", async (_what, signature) => {
  const headers = { ...json, ...(signature && { 'x-hub-signature-256': signature }) };
  const request = () => app.raw('POST', '/v1/providers/messaging-app/webhook', { body: '{"entry": []}', headers, key: null });
  await refused(request, 401, 'unauthorized');
});
