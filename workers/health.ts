import type { ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Config } from '../src/platform/config/config.ts';
import type { Database } from '../src/platform/database/database.ts';
import { withinMs } from '../src/platform/ledger/backends/backend.ts';
import { askForToken, mayScrape } from '../src/platform/metrics/access.ts';
import type { Metrics } from '../src/platform/metrics/metrics.ts';

/** `/healthz`: the process lives; `/readyz`: database and queue answer; `/metrics` with METRICS_TOKEN. */
export async function startHealth(
  { healthPort, metricsToken }: Pick<Config, 'healthPort' | 'metricsToken'>,
  database: Database,
  metrics: Metrics,
  isWorking: () => boolean,
): Promise<{ port: number; stop(): void } | undefined> {
  if (healthPort === undefined) return undefined;
  const server = createServer(async (request, response) => {
    if (request.url === '/healthz') return json(response, 200, { status: 'ok' });
    if (request.url === '/readyz') return ready(response, database, isWorking);
    if (request.url !== '/metrics' || !metricsToken) return void response.writeHead(404).end();
    if (!mayScrape(request.headers.authorization, metricsToken))
      return void response.writeHead(401, { 'www-authenticate': askForToken }).end();
    // An uncaught error here would end the worker.
    const text = await metrics.scrape().catch(() => undefined);
    response.writeHead(text === undefined ? 500 : 200, { 'content-type': metrics.contentType }).end(text);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(healthPort, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function ready(response: ServerResponse, database: Database, isWorking: () => boolean) {
  const isDatabaseThere = await withinMs(database.ping(), 2_000, 'The database').then(
    () => true,
    () => false,
  );
  const isReady = isDatabaseThere && isWorking();
  json(response, isReady ? 200 : 503, {
    status: isReady ? 'ok' : 'unavailable',
    database: isDatabaseThere ? 'ok' : 'unavailable',
    queue: isWorking() ? 'ok' : 'unavailable',
  });
}

function json(response: ServerResponse, status: number, body: object) {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
