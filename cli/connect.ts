import { knowJobs } from '../src/jobs.ts';
import { openDatabase } from '../src/open-database.ts';
import { readConnections } from '../src/platform/config/config.ts';
import type { Database } from '../src/platform/database/database.ts';
import { withinMs } from '../src/platform/ledger/backends/backend.ts';
import { createBackend } from '../src/platform/ledger/backends/index.ts';
import { createLedger, type Ledger } from '../src/platform/ledger/ledger.ts';
import { openQueues } from '../src/platform/ledger/queues.ts';
import { createTransact, type Transact } from '../src/platform/ledger/transact.ts';
import { createLog } from '../src/platform/log.ts';

/** A command prints sentences: its log is silent. */
export const commandLog = () => createLog('silent', 'cli');

export async function withDatabase<Result>(work: (database: Database) => Promise<Result>): Promise<Result> {
  knowJobs();
  const { databaseUrl } = readConnections();
  const database = await openDatabase({ url: databaseUrl, poolMax: 2, applicationName: 'kanal-cli', log: commandLog() });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

/** For commands that need no queue. */
export const withTransact = <Result>(work: (transact: Transact) => Promise<Result>): Promise<Result> =>
  withDatabase((database) => work(createTransact(database, () => undefined)));

/** How long a command waits for the queue. Without it the work is written too, and the sweeper dispatches it. */
const queueWaitMs = 3_000;

export async function withLedger<Result>(work: (ledger: Ledger, database: Database) => Promise<Result>): Promise<Result> {
  const connections = readConnections();
  const log = commandLog();
  return withDatabase(async (database) => {
    const queues = openQueues(createBackend(connections, log), log, () => undefined);
    try {
      await withinMs(queues.whenOpen(), queueWaitMs, 'The queue').catch(() => undefined);
      return await work(createLedger({ database, queues, log, awaitsQueue: true }), database);
    } finally {
      await queues.close();
    }
  });
}
