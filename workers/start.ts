import { createStorage } from '../src/media/storage/index.ts';
import { openDatabase } from '../src/open-database.ts';
import type { Config } from '../src/platform/config/config.ts';
import { unlessAway } from '../src/platform/database/errors.ts';
import { checkConnections } from '../src/platform/database/open.ts';
import { startClock } from '../src/platform/time/clock-skew.ts';
import '../src/jobs.ts';
import { type AnyWorker, withinMs } from '../src/platform/ledger/backends/backend.ts';
import { createBackend } from '../src/platform/ledger/backends/index.ts';
import { type QueueName, queueNames } from '../src/platform/ledger/job.ts';
import { createLedger } from '../src/platform/ledger/ledger.ts';
import { openQueues } from '../src/platform/ledger/queues.ts';
import type { Log } from '../src/platform/log.ts';
import { createMetrics } from '../src/platform/metrics/metrics.ts';
import { createSecrets } from '../src/platform/secrets.ts';
import { createProviders } from '../src/providers/index.ts';
import { measuredSender } from '../src/webhooks/measured-sender.ts';
import { createWebhookSender } from '../src/webhooks/sender.ts';
import type { WorkerDeps } from './handler.ts';
import { startHealth } from './health.ts';
import { handlers } from './index.ts';
import { createJobMetrics } from './job-metrics.ts';
import { startRetention } from './retention.ts';
import { startSweeper } from './sweeper.ts';
import { createDeliveryMetrics } from './webhooks/delivery-metrics.ts';
import { startWorker } from './worker.ts';

export type RunningWorker = { stop(): Promise<void>; healthPort?: number };

/** Handlers and sweeper start as soon as the queue is there. */
export async function startWorkers(config: Config, log: Log, onDead: () => void): Promise<RunningWorker> {
  const database = await openDatabase({
    url: config.databaseUrl,
    poolMax: config.databasePoolMax,
    applicationName: 'kanal-worker',
    log,
  });
  const backend = createBackend(config, log);
  await checkConnections(database, backend.databaseConnections, config.databasePoolMax, log).catch(unlessAway(log));
  const queues = openQueues(backend, log, onDead);
  const ledger = createLedger({ database, queues, log, awaitsQueue: false });
  const isServed = config.metricsToken !== undefined && config.healthPort !== undefined;
  const metrics = createMetrics({ process: 'worker', database, queues, isServed });
  const { registry } = metrics;
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
  let isStopping = false;
  const deps: WorkerDeps = {
    config,
    database,
    ledger,
    providers,
    storage,
    secrets: createSecrets(config),
    sender,
    jobMetrics: createJobMetrics(registry),
    deliveryMetrics: createDeliveryMetrics(registry),
    log,
    isStopping: () => isStopping,
  };
  const byName = new Map(handlers.map((handler) => [handler.contract.name, handler]));
  const served = queueNames.filter((name) => config.queues.length === 0 || config.queues.includes(name));
  const workers: AnyWorker[] = [];
  void Promise.all([queues.whenOpen(), clock.asked, providers.load()]).then(() => {
    if (isStopping) return;
    workers.push(...served.map((name) => startWorker(deps, queues.backend, name, byName, concurrencyOf(config, name))));
    log.info({ queues: served, backend: queues.backend.name }, 'working');
  });
  const sweeper = startSweeper(deps, queues, registry);
  const retention = startRetention(deps, registry);
  const health = await startHealth(config, database, metrics, () => workers.length > 0 && queues.isReady());
  return {
    healthPort: health?.port,
    async stop() {
      isStopping = true;
      health?.stop();
      clock.stop();
      const parts = [sweeper.stop(), retention.stop(), ...workers.map((worker) => worker.close())];
      await Promise.all(
        parts.map((part) =>
          withinMs(part, config.shutdownTimeoutMs, 'A worker').catch((error) =>
            log.warn({ err: error }, 'active work left to others'),
          ),
        ),
      );
      await queues.close();
      await sender.close();
      providers.close();
      storage.close();
      await database.close();
    },
  };
}

const concurrencyOf = (config: Config, queue: QueueName) =>
  ({
    messages: config.messagesConcurrency,
    webhooks: config.webhooksConcurrency,
    'webhook-retries': config.webhookRetriesConcurrency,
    default: config.defaultConcurrency,
  })[queue];
