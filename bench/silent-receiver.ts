import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';

/** An address that accepts connections and never says a word; it costs nobody any work. One for the whole run. */
let silent: Promise<{ url: string; close(): void }> | undefined;

export const silentReceiver = () => (silent ??= listen());

async function listen() {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    socket.resume();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  return {
    url: `http://127.0.0.1:${port}`,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Over HTTP, so that each gets what the product gives an endpoint. Their ids. */
export async function createEndpoints(base: string, apiKey: string, count: number): Promise<string[]> {
  const { url } = await silentReceiver();
  const ids: string[] = [];
  for (let number = 0; number < count; number += 1) {
    const response = await fetch(`${base}/v1/settings/developer/webhooks/endpoints`, {
      method: 'POST',
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
      body: JSON.stringify({ url: `${url}/${number}`, event_types: ['contact.updated'] }),
    });
    if (!response.ok) throw new Error(`An endpoint was answered ${response.status}: ${await response.text()}`);
    ids.push(((await response.json()) as { id: string }).id);
  }
  return ids;
}
