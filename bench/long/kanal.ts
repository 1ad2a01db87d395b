import { knowJobs } from '../../src/jobs.ts';
import { openDatabase } from '../../src/open-database.ts';
import { type Config, readConfig } from '../../src/platform/config/config.ts';
import type { Database } from '../../src/platform/database/database.ts';
import { createBackend } from '../../src/platform/ledger/backends/index.ts';
import { createLedger, type Ledger } from '../../src/platform/ledger/ledger.ts';
import { openQueues, type Queues } from '../../src/platform/ledger/queues.ts';
import { createLog, type Log } from '../../src/platform/log.ts';
import type { Side } from '../stage.ts';

export type Kanal = { config: Config; log: Log; database: Database; queues: Queues; ledger: Ledger; close(): Promise<void> };

/** What a worker has, in this process: the chores of the product can be timed one at a time. */
export async function openKanal({ env }: Side): Promise<Kanal> {
  knowJobs();
  const config = readConfig(env);
  const log = createLog('silent', 'bench');
  const database = await openDatabase({ url: config.databaseUrl, poolMax: 4, applicationName: 'bench', log });
  const queues = openQueues(createBackend(config, log), log, () => undefined);
  await queues.whenOpen();
  const ledger = createLedger({ database, queues, log, awaitsQueue: false });
  return {
    config,
    log,
    database,
    queues,
    ledger,
    async close() {
      await queues.close();
      await database.close();
    },
  };
}
