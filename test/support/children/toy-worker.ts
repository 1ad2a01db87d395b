import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase } from '../../../src/open-database.ts';
import { readConfig } from '../../../src/platform/config/config.ts';
import { query } from '../../../src/platform/database/query.ts';
import { createBackend } from '../../../src/platform/ledger/backends/index.ts';
import { registerContracts } from '../../../src/platform/ledger/contracts.ts';
import { createLedger } from '../../../src/platform/ledger/ledger.ts';
import { openQueues } from '../../../src/platform/ledger/queues.ts';
import { createLog } from '../../../src/platform/log.ts';
import type { Handler, WorkerDeps } from '../../../workers/handler.ts';
import { createSuspects } from '../../../workers/suspects.ts';
import { startWorker } from '../../../workers/worker.ts';
import { testSecrets } from '../secrets.ts';
import { playJob, throwJob, toyContracts } from '../toys.ts';

/**
 * A worker process for toys that can be killed in the middle: each run says so (`effects` counts them) and then takes a minute, but
 * for a toy whose reason is `quick`. A toy that is thrown is `sending` from its first run on.
 */
const config = readConfig();
const log = createLog('info', 'toy-worker');
const database = await openDatabase({ url: config.databaseUrl, poolMax: 8, applicationName: 'toy-worker', log });
const queues = openQueues(createBackend(config, log), log, () => process.exit(1));
const ledger = createLedger({ database, queues, log, awaitsQueue: false });
const jobMetrics = { ended: () => undefined, fault: () => undefined };
const deps = {
  config,
  database,
  ledger,
  log,
  jobMetrics,
  secrets: testSecrets,
  isStopping: () => false,
} as unknown as WorkerDeps;

registerContracts(toyContracts);
const count = (id: string) =>
  query<{ reason: string | null }>(
    database.em(),
    `update toys set effects = effects + 1, status = case when kind = 'toys.throw' then 'sending' else status end where id = $1 returning reason`,
    [id],
  );
const handlers = [playJob, throwJob].map((contract) => ({
  contract,
  async run({ toy_id }: { toy_id: string }, context: { finish(work: unknown): unknown }) {
    const [toy] = await count(toy_id);
    if (toy?.reason !== 'quick') await sleep(60_000);
    return context.finish((tx: { query(text: string, params: unknown[]): unknown }) =>
      tx.query(`update toys set status = 'done' where id = $1`, [toy_id]),
    );
  },
}));
await queues.whenOpen();
const byName = new Map(
  handlers.map((handler) => [handler.contract.name, handler as unknown as Handler<Record<string, string>, unknown>]),
);
startWorker(deps, queues.backend, 'default', byName, { concurrency: 5, share: 5, open: 40 }, createSuspects());
log.info('toy worker started');

// The test process is gone: so is this one.
process.stdin.resume().on('end', () => process.exit(1));
