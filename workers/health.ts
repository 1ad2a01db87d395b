import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Database } from '../src/database.ts';
import { withinMs } from '../src/ledger/backends/backend.ts';

/** A worker's `/healthz` (the process lives) and `/readyz` (database and queue are there: without either it does nothing). */
export async function startHealth(
  port: number | undefined,
  database: Database,
  isWorking: () => boolean,
): Promise<{ port: number; stop(): void } | undefined> {
  if (port === undefined) return undefined;
  const server = createServer(async (request, response) => {
    if (request.url !== '/healthz' && request.url !== '/readyz') return void response.writeHead(404).end();
    const isDatabaseThere =
      request.url === '/healthz' ||
      (await withinMs(database.ping(), 2_000, 'The database').then(
        () => true,
        () => false,
      ));
    const isReady = request.url === '/healthz' || (isDatabaseThere && isWorking());
    response.writeHead(isReady ? 200 : 503, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify(
        request.url === '/healthz'
          ? { status: 'ok' }
          : {
              status: isReady ? 'ok' : 'unavailable',
              database: isDatabaseThere ? 'ok' : 'unavailable',
              queue: isWorking() ? 'ok' : 'unavailable',
            },
      ),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}
