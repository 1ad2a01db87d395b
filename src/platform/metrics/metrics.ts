import { readFileSync } from 'node:fs';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { Database } from '../database/database.ts';
import type { Queues } from '../ledger/queues.ts';
import { createDatabaseFigures } from './database-figures.ts';

export type Metrics = {
  registry: Registry;
  contentType: string;
  /** Has the process's own figures even when the database does not answer. */
  scrape(): Promise<string>;
};

type Options = { process: 'web' | 'worker'; database: Database; queues: Queues; isServed: boolean };

/** Its own registry: tests start several in one process. Node's figures cost CPU, so only a served process has them. */
export function createMetrics({ process: kind, database, queues, isServed }: Options): Metrics {
  const registry = new Registry();
  if (isServed) collectDefaultMetrics({ register: registry });
  describeBuild(registry, kind, queues);
  describePool(registry, database);
  const readFigures = createDatabaseFigures(registry, database);
  return {
    registry,
    contentType: registry.contentType,
    async scrape() {
      await readFigures();
      return registry.metrics();
    },
  };
}

const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as { version: string };

function describeBuild(registry: Registry, kind: string, queues: Queues) {
  new Gauge({
    name: 'kanal_build_info',
    help: 'Always 1; its labels say what runs here',
    labelNames: ['version', 'process', 'queue_backend'],
    registers: [registry],
  }).set({ version, process: kind, queue_backend: queues.backend.name }, 1);
  new Gauge({
    name: 'kanal_queue_up',
    help: 'Whether the queue answered when last asked; without it work is taken and kept, and waits',
    registers: [registry],
    collect() {
      this.set(queues.isReady() ? 1 : 0);
    },
  });
}

function describePool(registry: Registry, database: Database) {
  new Gauge({
    name: 'kanal_database_connections',
    help: 'Connections of this process to the database (those of the queue not counted), by state; at most DATABASE_POOL_MAX',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      const { total, idle } = database.connections();
      this.set({ state: 'idle' }, idle);
      this.set({ state: 'busy' }, total - idle);
    },
  });
  new Gauge({
    name: 'kanal_database_connection_waiters',
    help: 'Requests and jobs of this process that wait for a connection to the database',
    registers: [registry],
    collect() {
      this.set(database.connections().waiting);
    },
  });
}
