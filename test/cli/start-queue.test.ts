import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect, test } from '@jest/globals';
import { queueAnswers } from '../../cli/start/queue.ts';
import { waitFor } from '../support/wait-for.ts';

/** What the issue asks for: somebody who waits hears why, and where. */
const saidWithinMs = 5_000;

/** Says what it waits for in time, and goes on until the start is ended. */
async function waitsFor(queueUrl: string, host: string) {
  const said: string[] = [];
  const output = {
    say: (line: string) => void said.push(line),
    step: <Result>(_name: string, work: () => Promise<Result>) => work(),
  };
  const ending = new AbortController();
  const stopped = new Error('stopped');
  const ended = queueAnswers(queueUrl, output, ending.signal).catch((error: unknown) => error);
  await waitFor('the line', () => said.length > 0, saidWithinMs);
  ending.abort(stopped);
  expect(await ended).toBe(stopped);
  expect(said).toEqual([`waiting for Redis at ${host} (QUEUE_URL)`]);
}

test('a Redis that refuses connections is named within 5 s, without its password', async () => {
  // Port 6 is nobody's.
  await waitsFor('redis://name:secret@127.0.0.1:6', '127.0.0.1:6');
});

test('so is a host without an address', async () => {
  await waitsFor('redis://redis.invalid:6379', 'redis.invalid:6379');
});

test('and one that takes connections and says nothing', async () => {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => void sockets.add(socket.on('error', () => undefined))).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await waitsFor(`redis://127.0.0.1:${port}`, `127.0.0.1:${port}`);
  for (const socket of sockets) socket.destroy();
  server.close();
});
