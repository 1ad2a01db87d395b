import { beforeAll, describe, expect, test } from '@jest/globals';
import { inspectDocument } from '../../../src/flows/inspect.ts';
import { type Body, useApp } from '../../support/app.ts';
import { isDeep } from '../../support/depth.ts';
import { flowBody, jsonFlow } from '../../support/flow-bodies.ts';
import { storedFlows } from '../../support/stored/flows.ts';
import { storedState } from '../../support/stored.ts';

const app = useApp({ env: { RATE_LIMIT_PER_MINUTE: '0' } });
const mebibyte = 2 ** 20;
let flow: Body;

beforeAll(async () => {
  flow = (await app.call('flows.create', { body: flowBody({ name: 'Raw', ...jsonFlow({ version: '7.2', screens: [] }) }) })).body;
});

const put = (
  body: string | Buffer,
  more: { id?: string; query?: Record<string, string>; headers?: Record<string, string> } = {},
) =>
  app.call('flows.flow-json.replace', {
    params: { flowID: more.id ?? flow.id },
    query: more.query,
    headers: more.headers,
    body: body as string,
  });
const get = async () => (await app.call('flows.get', { params: { flowID: flow.id } })).body;

/** A document of exactly so many bytes: a screen with an image in it. */
const documentOf = (bytes: number) => {
  const [before, after] = [
    '{"version":"7.2","screens":[{"id":"A","title":"A","terminal":true,"layout":{"type":"SingleColumnLayout","children":[{"type":"Image","src":"',
    '"},{"type":"Footer","label":"Go","on-click-action":{"name":"complete","payload":{}}}]}}]}',
  ];
  return before + 'A'.repeat(bytes - before.length - after.length) + after;
};

describe('a document', () => {
  test('replaces the present one, as a version', async () => {
    const before = await get();
    const document = { version: '6.2', screens: [{ id: 'FIRST' }] };
    const { status, body } = await put(JSON.stringify(document));
    expect(status).toBe(200);
    expect(body).toMatchObject({
      flow_json: document,
      json_version: '6.2',
      builder_json: before.builder_json,
      revision: before.revision + 1,
      version: before.version + 1,
    });
    expect(body.validation_errors.length).toBeGreaterThan(0);
    expect(await get()).toEqual(body);
    expect((await put(JSON.stringify(document, null, 2))).body).toEqual(body);
  });

  const size = isDeep ? 10 * mebibyte : mebibyte;

  test(`of ${size} bytes is stored and shown whole`, async () => {
    const text = documentOf(size);
    expect(Buffer.byteLength(text)).toBe(size);
    const { status, body } = await put(text);
    expect(status).toBe(200);
    expect(JSON.stringify(body.flow_json)).toBe(text);
    expect(JSON.stringify((await get()).flow_json)).toBe(text);
    const clone = await app.call('flows.clone', { params: { flowID: flow.id }, body: { name: 'Large copy' } });
    expect(JSON.stringify(clone.body.flow_json)).toBe(text);
    const { items } = (await app.call('flows.list')).body;
    expect(JSON.stringify(items).length).toBeLessThan(20_000);
  });

  test('a byte more is a 413, announced or not, and nothing is stored', async () => {
    const before = await storedState(app);
    expect((await put(documentOf(10 * mebibyte + 1), { headers: { connection: 'close' } })).status).toBe(413);
    const piece = new Uint8Array(mebibyte).fill(0x20);
    const stream = new ReadableStream({
      start(controller) {
        for (let sent = 0; sent < 12; sent += 1) controller.enqueue(piece);
        controller.close();
      },
    });
    const reply = await fetch(`${app.base}/v1/flows/${flow.id}/flow-json`, {
      method: 'PUT',
      // The server closes it while the body is sent: no later request may find it among the open ones.
      headers: { 'x-api-key': app.tenant.key, 'content-type': 'application/json', connection: 'close' },
      body: stream,
      duplex: 'half',
    } as RequestInit);
    expect(reply.status).toBe(413);
    await reply.text();
    expect(await storedState(app)).toBe(before);
  });

  test('with a stale revision: 409; with the present one it is taken', async () => {
    const { revision } = await get();
    expect((await put('{"version":"7.0"}', { query: { revision: String(revision - 1) } })).status).toBe(409);
    expect((await put('{"version":"7.0"}', { query: { revision: String(revision) } })).status).toBe(200);
  });

  test.each([
    ['broken in the middle', '{"version": "7.2", "scre', 400, undefined],
    ['empty', '', 400, undefined],
    ['a list', '[]', 422, 'object.base'],
    ['a text', '"x"', 422, 'object.base'],
    ['null', 'null', 422, 'object.base'],
    ['nested 10,000 levels', `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`, 422, 'object.depth'],
    ['of 100,001 values', `{"a":[${'0,'.repeat(99_999)}0]}`, 422, 'body.values'],
    ['with NUL', '{"title": "\\u0000"}', 422, 'string.nul'],
    ['with half a surrogate pair', '{"title": "\\ud800"}', 422, 'string.unicode'],
    ['with a key __proto__', '{"__proto__": {}}', 422, 'object.unknown'],
  ])('%s: refused, and nothing is stored', async (_what, text, status, code) => {
    const before = await storedState(app);
    const reply = await put(text);
    expect([reply.status, reply.body.error.details?.[0]?.code]).toEqual([status, code]);
    expect(await storedState(app)).toBe(before);
  });

  test('of a flow in mode visual: 422', async () => {
    const { id } = (await app.call('flows.create', { body: flowBody({ name: 'Screens' }) })).body;
    const reply = await put('{}', { id });
    expect([reply.status, reply.body.error.details[0].field]).toEqual([422, 'flow_json']);
  });

  test('of a deprecated flow: 409', async () => {
    const body = flowBody({ name: 'Past', ...jsonFlow({}) });
    const { id } = (await app.call('flows.create', { body })).body;
    await storedFlows.change(app, id, { status: 'deprecated' });
    expect((await put('{"version":"7.1"}', { id })).status).toBe(409);
  });

  test('another content type: 415; an unknown parameter: 422', async () => {
    expect((await put('{}', { headers: { 'content-type': 'text/plain' } })).status).toBe(415);
    expect((await put('{}', { query: { force: 'true' } })).status).toBe(422);
  });
});

/** Values enough for the limit, and a text in each. */
const manyValues = (bytes: number) => {
  const screens = Array.from({ length: 450 }, (_, index) => ({
    id: `S${index}`,
    data: Array.from({ length: 200 }, () => 'x'.repeat(100)),
  }));
  const text = JSON.stringify({ version: '7.2', screens, note: '' });
  return text.replace('"note":""', `"note":"${'y'.repeat(bytes - text.length)}"`);
};

/** How often other work had its turn meanwhile. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let [turns, isOver] = [0, false];
  const turn = () => {
    turns += 1;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  await work().finally(() => {
    isOver = true;
  });
  return turns;
}

test.each([
  ['images', documentOf],
  ['values', manyValues],
])('10 MiB of %s are taken, and other work has its turn between the steps', async (_what, documentWith) => {
  const body = documentWith(10 * mebibyte - 1);
  const reply = await fetch(`${app.base}/v1/flows/${flow.id}/flow-json`, {
    method: 'PUT',
    headers: { 'x-api-key': app.tenant.key, 'content-type': 'application/json' },
    body,
  });
  expect(reply.status).toBe(200);
  await reply.body!.cancel();
  const document = JSON.parse(body);
  expect(await turnsDuring(() => inspectDocument(document, { jsonVersion: '7.2' }))).toBeGreaterThanOrEqual(3);
});
