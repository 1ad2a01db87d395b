import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export type SlowProxy = { port: number; delayMs: number; close(): Promise<void> };

/** Passes everything on to a port of this machine, what comes back from there `delayMs` later; set it at any time. */
export async function startSlowProxy(target: number): Promise<SlowProxy> {
  const open = new Set<Socket>();
  const keep = (socket: Socket) => {
    open.add(socket);
    socket.on('error', () => undefined).on('close', () => open.delete(socket));
  };
  const server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1');
    keep(client);
    keep(upstream);
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => client.destroy());
    client.pipe(upstream);
    upstream.on('data', (chunk) => {
      if (proxy.delayMs === 0) client.write(chunk);
      else setTimeout(() => client.destroyed || client.write(chunk), proxy.delayMs).unref();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const proxy: SlowProxy = {
    port: (server.address() as AddressInfo).port,
    delayMs: 0,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        for (const socket of open) socket.destroy();
      }),
  };
  return proxy;
}
