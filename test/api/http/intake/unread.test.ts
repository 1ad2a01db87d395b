import { once } from 'node:events';
import { Agent, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, expect, test } from '@jest/globals';
import express from 'express';
import { cutUnread } from '../../../../api/http/intake/unread.ts';

const mebi = 1024 * 1024;
const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

/** A server that answers before it has read anything, and a client that keeps its one connection. */
async function refusing(maxBytesPerSecond: number) {
  let connections = 0;
  const app = express().use(cutUnread(maxBytesPerSecond), (_req, res) => void res.status(413).send('too large'));
  const server = app.listen(0, '127.0.0.1');
  server.on('connection', () => {
    connections += 1;
  });
  await once(server, 'listening');
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  ends.push(() => {
    agent.destroy();
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const post = (bytes: number) =>
    new Promise<unknown[]>((resolve, reject) => {
      const sent = request({ port, host: '127.0.0.1', method: 'POST', agent }, async (response) => {
        resolve([response.statusCode, response.headers.connection, await text(response)]);
      });
      sent.on('error', reject);
      sent.end(Buffer.alloc(bytes));
    });
  return { post, connections: () => connections };
}

test('an unread body beyond the limit: the reply arrives and says that the connection is closed; the next request has another', async () => {
  const { post, connections } = await refusing(1);
  for (const bytes of [4 * mebi, 100, 7 * mebi]) expect(await post(bytes)).toEqual([413, 'close', 'too large']);
  expect(connections()).toBe(3);
});

test('an unread body within the limit: the connection goes on', async () => {
  const { post, connections } = await refusing(100 * mebi);
  for (const bytes of [4 * mebi, 100, 7 * mebi]) expect(await post(bytes)).toEqual([413, 'keep-alive', 'too large']);
  expect(connections()).toBe(1);
});
