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
