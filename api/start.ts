import type { AddressInfo } from 'node:net';
import { createAuthenticate } from '../src/accounts/authenticate.ts';
import { createPasswords } from '../src/accounts/password-hash.ts';
import { createShippingAreas } from '../src/commerce/delivery/areas.ts';
import { commerceTallies } from '../src/commerce/tallies.ts';
import { createFlowExchanges } from '../src/flows/exchange/exchanges.ts';
import { knowJobs } from '../src/jobs.ts';
import { createStorage } from '../src/media/storage/index.ts';
import { openDatabase } from '../src/open-database.ts';
import type { Config } from '../src/platform/config/config.ts';
import { unlessAway } from '../src/platform/database/errors.ts';
import { checkConnections } from '../src/platform/database/open.ts';
import { requestBoundsOf } from '../src/platform/database/request-bounds.ts';
import { createBackend } from '../src/platform/ledger/backends/index.ts';
import { createLedger } from '../src/platform/ledger/ledger.ts';
import { openQueues } from '../src/platform/ledger/queues.ts';
import { createReads } from '../src/platform/listing/reads.ts';
import type { Log } from '../src/platform/log.ts';
import { createMetrics } from '../src/platform/metrics/metrics.ts';
import { createTallies } from '../src/platform/metrics/tallies.ts';
import { type Heartbeat, startHeartbeat } from '../src/platform/process/heartbeat.ts';
import { createLoginLimits } from '../src/platform/rate-limits/login.ts';
import { createRequestLimits } from '../src/platform/rate-limits/requests.ts';
import { createSecrets } from '../src/platform/secrets.ts';
import { startClock } from '../src/platform/time/clock-skew.ts';
import { createProviders } from '../src/providers/index.ts';
import { createApp } from './app.ts';
import type { Deps } from './http/endpoint.ts';
import { createIntake } from './http/intake/intake.ts';
import { createServer } from './http/node-http.ts';

type Server = ReturnType<typeof createServer>;

export type RunningWeb = { port: number; stop(): Promise<void>; deps: Deps };

/** Longer than a proxy's usual 60 s, so that we never close a connection the proxy is about to use. */
const keepAliveMs = 65_000;

/** For a file of contacts over a slow line; other bodies have their own limit (intake/intake.ts). */
const longestRequestMs = 30 * 60_000;

/** Listens at once, with or without the queue. */
export async function startWeb(config: Config, log: Log, onDead: () => void): Promise<RunningWeb> {
  knowJobs();
  const database = await openDatabase({
    url: config.databaseUrl,
    poolMax: config.databasePoolMax,
    applicationName: 'kanal-web',
    log,
    bounds: requestBoundsOf(config),
  });
  const backend = createBackend(config, log);
  await checkConnections(database, backend.databaseConnections, config.databasePoolMax, log).catch(unlessAway(log));
  const queues = openQueues(backend, log, onDead);
  const bounds = { patienceMs: config.requestTransactionTimeoutMs, lockMs: config.requestLockTimeoutMs };
  const metrics = createMetrics({ process: 'web', database, queues, isServed: config.metricsToken !== undefined });
  const ledger = createLedger({
    database,
    queues,
    log,
    awaitsQueue: true,
    bounds,
    count: createTallies(metrics.registry, commerceTallies),
  });
  const clock = startClock({ database, log, registry: metrics.registry });
  const providers = createProviders(config, metrics.registry, log);
  const storage = createStorage(config);
  let heartbeat: Heartbeat | undefined;
  const limits = createRequestLimits(config, log, () => heartbeat?.alive() ?? 1);
  const deps: Deps = {
    config,
    database,
    ledger,
    queues,
    providers,
    storage,
    secrets: createSecrets(config),
    authenticate: createAuthenticate(database),
    passwords: createPasswords(),
    loginLimits: createLoginLimits(database),
    limits,
    intake: createIntake(config),
    reads: createReads(database, { atOnce: config.listsAtOnce, checks: config.listMaxChecks, ms: config.listTimeoutMs }),
    flowExchanges: createFlowExchanges(config, metrics.registry),
    shippingAreas: createShippingAreas(),
    metrics,
    log,
  };
  const app = createApp(deps);
  let isStopping = false;
  const server = createServer(
    {
      keepAliveTimeout: keepAliveMs,
      requestTimeout: longestRequestMs,
      headersTimeout: 30_000,
      connectionsCheckingInterval: 5_000,
    },
    (request, response) => {
      // A client told to close opens its next connection elsewhere, instead of finding this one cut.
      if (isStopping) response.setHeader('Connection', 'close');
      app(request, response);
    },
  );
  // No byte moved for so long: the client stopped reading, or vanished.
  server.setTimeout(config.connectionStallTimeoutMs);
  await listen(server, config.port, config.host);
  heartbeat = startHeartbeat(database, 'web');
  const { port } = server.address() as AddressInfo;
  log.info({ port, backend: queues.backend.name }, 'listening');
  return {
    port,
    deps,
    async stop() {
      heartbeat?.stop();
      clock.stop();
      isStopping = true;
      await finishRequests(server, config.shutdownTimeoutMs);
      limits.close();
      await queues.close();
      providers.close();
      storage.close();
      await Promise.all([deps.passwords.close(), deps.authenticate.settled(), deps.flowExchanges.close()]);
      await database.close();
    },
  };
}

const listen = (server: Server, port: number, host: string) =>
  new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });

/** Refuses new connections; running requests may end within the deadline. */
async function finishRequests(server: Server, deadlineMs: number) {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const idle = setInterval(() => server.closeIdleConnections(), 100);
  const timer = setTimeout(() => server.closeAllConnections(), deadlineMs);
  await closed;
  clearInterval(idle);
  clearTimeout(timer);
}
