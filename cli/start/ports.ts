import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** All addresses and the loopback: some systems let two servers share a port on different addresses. */
const hosts = ['127.0.0.1', '0.0.0.0', '::'];

async function listens(port: number, host: string): Promise<number | 'taken' | 'unsupported'> {
  const server = createServer();
  try {
    server.listen({ port, host, exclusive: true });
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EADDRINUSE' ? 'taken' : 'unsupported';
  } finally {
    server.close();
  }
}

async function isFree(port: number): Promise<boolean> {
  for (const host of hosts) if ((await listens(port, host)) === 'taken') return false;
  // A port reserved for the administrator is refused on every address.
  return (await listens(port, '127.0.0.1')) === port;
}

/** The wanted port or the next free one; 0: any. `without` are taken already. */
export async function freePort(wanted: number, without: number[] = []): Promise<number> {
  if (wanted === 0) {
    const port = await listens(0, '127.0.0.1');
    return typeof port === 'number' && !without.includes(port) ? port : freePort(0, without);
  }
  for (let port = wanted; port <= 65_535; port += 1) if (!without.includes(port) && (await isFree(port))) return port;
  throw new Error(`No port from ${wanted} upwards is free`);
}
