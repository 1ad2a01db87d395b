import type { Socket } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import { createWebhookSender, type WebhookSender } from '../../../src/webhooks/sender.ts';
import { drip, flood, floodBytes, type HostileReceiver, startHostileReceiver } from '../../support/hostile-receiver.ts';
import { turns } from '../../support/turns.ts';
import { waitFor } from '../../support/wait-for.ts';

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

async function hostile(answer: (socket: Socket) => void): Promise<HostileReceiver> {
  const receiver = await startHostileReceiver(answer);
  stops.push(() => receiver.close());
  return receiver;
}

function sender(timeoutMs = 15_000): WebhookSender {
  const made = createWebhookSender({ allowHttp: true, allowNetworks: ['127.0.0.1/32'], timeoutMs });
  stops.push(() => made.close());
  return made;
}

const post = (url: string) => ({ url, headers: { 'webhook-id': 'evt_1' }, body: '{"a":1}' });

/** What is taken before the connection is closed, and what the system keeps between the two. */
const taken = 16 * 1024 * 1024;

const ok = 'HTTP/1.1 200 OK\r\n';
const chunked = `${ok}transfer-encoding: chunked\r\n\r\n`;

describe('100 MB at full speed are closed after a fraction', () => {
  test.each<[string, string, string, { status?: number; ok: boolean; error?: RegExp }]>([
    ['of a body', `${ok}content-length: ${floodBytes}\r\n\r\n`, 'a', { ok: true, status: 200 }],
    ['of a refusal’s body', `HTTP/1.1 500 No\r\ncontent-length: ${floodBytes}\r\n\r\n`, 'a', { ok: false, status: 500 }],
    ['of a body of tiny chunks', chunked, '1\r\na\r\n', { ok: true, status: 200 }],
    ['of the size of a chunk', chunked, '0', { ok: true, status: 200 }],
    ['of the extension of a chunk', `${chunked}1;`, 'a', { ok: true, status: 200 }],
    ['of trailers', `${chunked}0\r\n`, 'a:\r\n', { ok: true, status: 200 }],
    ['of a status line', 'HTTP/1.1 200 ', 'a', { ok: false, error: /without an end/ }],
    ['of a header', `${ok}x-a: `, 'a', { ok: false, error: /Headers Overflow/ }],
    ['of headers', ok, 'a:\r\n', { ok: false, error: /Headers Overflow/ }],
    ['of 102 Processing', '', 'HTTP/1.1 102 Processing\r\n\r\n', { ok: false, error: /without an end/ }],
    ['of 103 Early Hints', '', 'HTTP/1.1 103 Early Hints\r\nlink: a\r\n\r\n', { ok: false, error: /without an end/ }],
    ['of 100 Continue', '', 'HTTP/1.1 100 Continue\r\n\r\n', { ok: false, error: /bad response/ }],
  ])('%s', async (_what, head, piece, { error, ...wanted }) => {
    const receiver = await hostile((socket) => {
      socket.write(head);
      flood(socket, piece);
    });
    const outcome = await sender().send(post(receiver.url));
    expect(outcome).toMatchObject(wanted);
    if (!wanted.ok) expect(outcome.errorClass).toBe('http');
    if (error) expect(outcome.error).toMatch(error);
    expect(Buffer.byteLength(outcome.responseHead ?? '')).toBeLessThanOrEqual(20_000);
    expect(receiver.written()).toBeLessThan(taken);
  });
});

describe('what never ends, slowly, is over with the attempt', () => {
  test.each<[string, string, string, object]>([
    ['a head', `${ok}x-a: `, 'a', { ok: false, errorClass: 'timeout', error: 'no answer within 200 ms' }],
    ['headers', ok, 'x-a: b\r\n', { ok: false, errorClass: 'timeout' }],
    ['interim answers', '', 'HTTP/1.1 103 Early Hints\r\n\r\n', { ok: false, errorClass: 'timeout' }],
    ['a body', `${ok}content-length: 9999\r\n\r\n`, 'a', { ok: true, status: 200 }],
    [
      'the body of a refusal',
      'HTTP/1.1 500 No\r\ncontent-length: 9999\r\n\r\n',
      'a',
      { ok: false, status: 500, errorClass: 'http' },
    ],
  ])('%s', async (_what, head, piece, wanted) => {
    const receiver = await hostile((socket) => {
      socket.write(head);
      drip(socket, piece);
    });
    const outcome = await sender(200).send(post(receiver.url));
    expect(outcome).toMatchObject(wanted);
    expect(outcome.durationMs).toBeGreaterThanOrEqual(190);
  });
});

describe('invalid HTTP is a failure of the class http, and the next attempt has a connection of its own', () => {
  test.each<[string, string | Buffer, RegExp]>([
    ['bytes that are none', Buffer.from([0, 1, 255, 254, 13, 10, 13, 10]), /does not match the HTTP/],
    ['HTTP/2', Buffer.from('000006040000000000000400000001', 'hex'), /does not match the HTTP/],
    ['a body alone', 'hello', /does not match the HTTP/],
    ['lines without CR', 'HTTP/1.1 200 OK\ncontent-length: 0\n\n', /does not match the HTTP/],
    ['a NUL in a header', `${ok}x-a: a\0b\r\ncontent-length: 0\r\n\r\n`, /Invalid header value/],
    ['a status below 100', 'HTTP/1.1 099 No\r\ncontent-length: 0\r\n\r\n', /^the answer is not valid HTTP$/],
    ['a status of four digits', 'HTTP/1.1 2000 OK\r\ncontent-length: 0\r\n\r\n', /Invalid response status/],
    ['a length that is no number', `${ok}content-length: abc\r\n\r\nx`, /Content-Length/],
    ['a negative length', `${ok}content-length: -1\r\n\r\nx`, /Content-Length/],
    ['two lengths', `${ok}content-length: 1\r\ncontent-length: 2\r\n\r\nxx`, /content-length/],
    [
      'a length beside chunks',
      `${ok}content-length: 1\r\ntransfer-encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n`,
      /content-length/,
    ],
    ['a change of protocol', 'HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n', /bad upgrade/],
  ])('%s', async (_what, bytes, error) => {
    let answers = 0;
    const receiver = await hostile((socket) => {
      answers += 1;
      socket.write(answers === 1 ? bytes : `${ok}content-length: 2\r\n\r\nok`);
    });
    const one = sender(5_000);
    const outcome = await one.send(post(receiver.url));
    expect(outcome).toMatchObject({ ok: false, errorClass: 'http', error: expect.stringMatching(error) });
    expect(outcome.status).toBeUndefined();
    expect(await one.send(post(receiver.url))).toMatchObject({ ok: true, status: 200 });
    expect(receiver.connections()).toBe(2);
  });

  test.each<[string, (socket: Socket) => void, RegExp]>([
    ['a reset', (socket) => socket.resetAndDestroy(), /ECONNRESET/],
    ['an end within the head', (socket) => socket.end(`${ok}x-a:`), /other side closed/],
    ['a reset within the head', (socket) => socket.write(ok, () => socket.resetAndDestroy()), /ECONNRESET/],
  ])('%s', async (_what, answer, error) => {
    const receiver = await hostile(answer);
    const outcome = await sender(5_000).send(post(receiver.url));
    expect(outcome).toMatchObject({ ok: false, errorClass: 'http', error: expect.stringMatching(error) });
    expect(outcome.status).toBeUndefined();
  });

  test.each<[string, (socket: Socket) => void]>([
    ['an end within the body', (socket) => socket.end(`${ok}content-length: 100\r\n\r\nhalf`)],
    [
      'a reset within the body',
      (socket) => socket.write(`${ok}content-length: 100\r\n\r\nhalf`, () => setTimeout(() => socket.resetAndDestroy(), 20)),
    ],
    ['a chunk that is none', (socket) => socket.write(`${chunked}4\r\nhalf\r\nzz\r\n`)],
  ])('%s leaves the status, and what came', async (_what, answer) => {
    const receiver = await hostile(answer);
    const outcome = await sender(5_000).send(post(receiver.url));
    expect(outcome).toMatchObject({ ok: true, status: 200, responseHead: expect.stringMatching(/\n\nhalf$/) });
  });
});

describe('what was not asked for is nobody’s answer', () => {
  const secondAnswer = 'a second answer on the idle connection';
  let second = 0;

  test.each<[string, (socket: Socket) => void]>([
    [
      'two answers to one request',
      (socket) => socket.write(`${ok}content-length: 2\r\n\r\nokHTTP/1.1 410 Gone\r\ncontent-length: 4\r\n\r\nevil`),
    ],
    [
      secondAnswer,
      (socket) =>
        socket.write(`${ok}content-length: 2\r\n\r\nok`, () =>
          setTimeout(
            () =>
              socket.write('HTTP/1.1 410 Gone\r\ncontent-length: 4\r\n\r\nevil', () => {
                second += 1;
              }),
            5,
          ),
        ),
    ],
    [
      'a body where there is none',
      (socket) => socket.write('HTTP/1.1 204 No Content\r\ncontent-length: 36\r\n\r\nHTTP/1.1 410 Gone\r\ncontent-length: 0'),
    ],
  ])('%s', async (what, answer) => {
    const receiver = await hostile(answer);
    const one = sender(5_000);
    second = 0;
    for (let attempt = 0; attempt < 5; attempt += 1) {
      const outcome = await one.send(post(receiver.url));
      expect(outcome.ok).toBe(true);
      expect(outcome.responseHead).not.toMatch(/evil|410/);
      // Kept apart: an answer that comes before its request was read cannot be told from a good one.
      if (what === secondAnswer) await waitFor('the second answer', () => second > attempt);
      await turns(50);
    }
  });
});

test('a connection serves many large answers, each counted for itself', async () => {
  const body = 'a'.repeat(19_000);
  const receiver = await hostile((socket) => socket.write(`${ok}content-length: ${body.length}\r\n\r\n${body}`));
  const one = sender(5_000);
  for (let attempt = 0; attempt < 30; attempt += 1) {
    expect(await one.send(post(receiver.url))).toMatchObject({ ok: true, status: 200 });
    // undici takes a connection back a turn of the event loop after the answer.
    await turns(5);
  }
  expect(receiver.connections()).toBe(1);
});
