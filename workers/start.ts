import { setUrlRules, urlRules } from '../src/automation/http/url-rules.ts';
import { commerceTallies } from '../src/commerce/tallies.ts';
import { knowJobs } from '../src/jobs.ts';
import { createStorage } from '../src/media/storage/index.ts';
import { openDatabase } from '../src/open-database.ts';
import type { Config } from '../src/platform/config/config.ts';
import { unlessAway } from '../src/platform/database/errors.ts';
import { checkConnections } from '../src/platform/database/open.ts';
import { type AnyWorker, withinMs } from '../src/platform/ledger/backends/backend.ts';
import { createBackend } from '../src/platform/ledger/backends/index.ts';
import { createLedger } from '../src/platform/ledger/ledger.ts';
import { type QueueName, queueNames } from '../src/platform/ledger/queue-names.ts';
import { openQueues } from '../src/platform/ledger/queues.ts';
import type { Log } from '../src/platform/log.ts';
import { createMetrics } from '../src/platform/metrics/metrics.ts';
import { createTallies } from '../src/platform/metrics/tallies.ts';
import { createSecrets } from '../src/platform/secrets.ts';
import { startClock } from '../src/platform/time/clock-skew.ts';
import { createProviders } from '../src/providers/index.ts';
import { createHttpCaller } from '../src/webhooks/http-caller.ts';
import { measuredSender } from '../src/webhooks/measured-sender.ts';
import { createWebhookSender } from '../src/webhooks/sender.ts';
import { startBusyCopies } from './busy-copies.ts';
import { startChannelChecks } from './channel-checks.ts';
import { startConnectionChecks } from './connection-checks.ts';
import { createConnectionMetrics } from './connections/connection-metrics.ts';
import type { WorkerDeps } from './handler.ts';
import { startHealth } from './health.ts';
import { handlers } from './index.ts';
import { createJobMetrics } from './job-metrics.ts';
import { createFileMetrics } from './messaging/file-metrics.ts';
import { createFlowMetrics } from './provider-webhooks/flow-metrics.ts';
import { startRateFeed } from './rate-feed.ts';
import { startRetention } from './retention.ts';
import { sizesOf } from './sizes.ts';
import { createSuspects } from './suspects.ts';
import { startSweeper } from './sweeper.ts';
import { createDeliveryMetrics } from './webhooks/delivery-metrics.ts';
import { startWorker } from './worker.ts';

export type RunningWorker = { stop(): Promise<void>; healthPort?: number };

/** Handlers and sweeper start as soon as the queue is there. */
export async function startWorkers(config: Config, log: Log, onDead: () => void): Promise<RunningWorker> {
  knowJobs();
  const database = await openDatabase({
    url: config.databaseUrl,
    poolMax: config.databasePoolMax,
    applicationName: 'kanal-worker',
    log,
  });
  const backend = createBackend(config, log);
  await checkConnections(database, backend.databaseConnections, config.databasePoolMax, log).catch(unlessAway(log));
  const queues = openQueues(backend, log, onDead);
  const isServed = config.metricsToken !== undefined && config.healthPort !== undefined;
  const metrics = createMetrics({ process: 'worker', database, queues, isServed });
  const { registry } = metrics;
  const ledger = createLedger({ database, queues, log, awaitsQueue: false, count: createTallies(registry, commerceTallies) });
  const clock = startClock({ database, log, registry });
  const providers = createProviders(config, registry, log);
  const storage = createStorage(config);
  const sender = measuredSender(
    registry,
    createWebhookSender({
      timeoutMs: config.webhookTimeoutMs,
      allowHttp: config.webhookAllowHttp,
      allowNetworks: config.webhookAllowNetworks,
    }),
  );
  setUrlRules(config);
  const http = createHttpCaller(urlRules());
  let isStopping = false;
  const deps: WorkerDeps = {
    config,
    database,
    ledger,
    providers,
    storage,
    secrets: createSecrets(config),
    sender,
    http,
    jobMetrics: createJobMetrics(registry),
    deliveryMetrics: createDeliveryMetrics(registry),
    fileMetrics: createFileMetrics(registry),
    flowMetrics: createFlowMetrics(registry),
    connectionMetrics: createConnectionMetrics(registry),
    log,
    isStopping: () => isStopping,
  };
  const byName = new Map(handlers.map((handler) => [handler.contract.name, handler]));
  const served = queueNames.filter((name) => config.queues.length === 0 || config.queues.includes(name));
  const workers: AnyWorker[] = [];
  const suspects = createSuspects();
  void Promise.all([queues.whenOpen(), clock.asked, providers.load()]).then(() => {
    if (isStopping) return;
    const work = (name: QueueName) => startWorker(deps, queues.backend, name, byName, sizesOf(name, config), suspects);
    workers.push(...served.map(work));
    log.info({ queues: served, backend: queues.backend.name }, 'working');
  });
  const sweeper = startSweeper(deps, queues, registry);
  const retention = startRetention(deps, registry);
  const checks = config.channelCheckSeconds > 0 ? startChannelChecks(deps) : undefined;
  const connectionChecks = config.channelCheckSeconds > 0 ? startConnectionChecks(deps) : undefined;
  const busyCopies = startBusyCopies(deps);
  const feed = config.exchangeRatesUrl ? startRateFeed(deps) : undefined;
  const health = await startHealth(config, database, metrics, () => workers.length > 0 && queues.isReady());
  return {
    healthPort: health?.port,
    async stop() {
      isStopping = true;
      health?.stop();
      clock.stop();
      const parts = [
        sweeper.stop(),
        retention.stop(),
        busyCopies.stop(),
        ...(checks ? [checks.stop()] : []),
        ...(connectionChecks ? [connectionChecks.stop()] : []),
        ...(feed ? [feed.stop()] : []),
        ...workers.map((worker) => worker.close()),
      ];
      await Promise.all(
        parts.map((part) =>
          withinMs(part, config.shutdownTimeoutMs, 'A worker').catch((error) =>
            log.warn({ err: error }, 'active work left to others'),
          ),
        ),
      );
      await queues.close();
      await sender.close();
      await http.close();
      providers.close();
      storage.close();
      await database.close();
    },
  };
}
