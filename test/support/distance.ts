import type { AddressInfo } from 'node:net';
import { connect, createServer, type Socket } from 'node:net';

/** A way to a server on this machine that takes `roundTripMs` there and back. */
export type Distance = { port: number; roundTripMs: number; close(): Promise<void> };

/** Bytes keep their order and arrive half a round trip later on each way; the way itself has no limit. */
export async function putAtDistance(port: number, roundTripMs = 0): Promise<Distance> {
  const sockets = new Set<Socket>();
  const distance: Distance = { port: 0, roundTripMs, close };

  /** One way. What is sent when the way has become shorter does not overtake what was sent before. */
  function lead(from: Socket, to: Socket) {
    const underWay: { arrivesAt: number; arrive(): void }[] = [];
    const look = () => {
      while (underWay[0] && underWay[0].arrivesAt <= performance.now()) underWay.shift()!.arrive();
      if (underWay[0]) setTimeout(look, Math.max(0, underWay[0].arrivesAt - performance.now()));
    };
    const send = (arrive: () => void) => {
      const arrivesAt = performance.now() + distance.roundTripMs / 2;
      underWay.push({ arrivesAt: Math.max(arrivesAt, underWay.at(-1)?.arrivesAt ?? 0), arrive });
      if (underWay.length === 1) setTimeout(look, distance.roundTripMs / 2);
    };
    sockets.add(from);
    from.setNoDelay(true);
    from.on('data', (bytes) => send(() => to.writable && to.write(bytes)));
    from.on('end', () => send(() => to.end()));
    from.on('error', () => to.destroy());
    from.on('close', () => sockets.delete(from));
  }

  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    lead(near, far);
    lead(far, near);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  distance.port = (server.address() as AddressInfo).port;
  async function close() {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  }
  return distance;
}
