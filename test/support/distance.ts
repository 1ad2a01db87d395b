import type { AddressInfo } from 'node:net';
import { connect, createServer, type Socket } from 'node:net';

/** A way to a server on this machine that takes `roundTripMs` there and back. */
export type Distance = { port: number; roundTripMs: number; close(): Promise<void> };

/** Bytes keep their order and arrive half a round trip later on each way; the way itself has no limit. */
export async function putAtDistance(port: number, roundTripMs = 0): Promise<Distance> {
  const sockets = new Set<Socket>();
  const distance: Distance = { port: 0, roundTripMs, close };
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.setNoDelay(true);
      const late = (work: () => void) => setTimeout(work, distance.roundTripMs / 2);
      from.on('data', (bytes) => late(() => to.writable && to.write(bytes)));
      from.on('end', () => late(() => to.end()));
      from.on('error', () => to.destroy());
      from.on('close', () => sockets.delete(from));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  distance.port = (server.address() as AddressInfo).port;
  async function close() {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  }
  return distance;
}
