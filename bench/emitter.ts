import { knowJobs } from '../src/jobs.ts';
import { openDatabase } from '../src/open-database.ts';
import { readConfig } from '../src/platform/config/config.ts';
import { messageSent } from '../src/platform/events/catalogue.ts';
import { uuidv7 } from '../src/platform/ids.ts';
import { createBackend } from '../src/platform/ledger/backends/index.ts';
import { createLedger } from '../src/platform/ledger/ledger.ts';
import { subjectLock } from '../src/platform/ledger/locks.ts';
import { openQueues } from '../src/platform/ledger/queues.ts';
import { createLog } from '../src/platform/log.ts';
import { atPace } from './pace.ts';

/** Emits events as the web process does: in a transaction, its subject locked, handed to the queue after the commit. */
knowJobs();
const config = readConfig();
const log = createLog('silent', 'bench');
const database = await openDatabase({ url: config.databaseUrl, poolMax: 15, applicationName: 'bench', log });
const queues = openQueues(createBackend(config, log), log, () => process.exit(1));
const ledger = createLedger({ database, queues, log, awaitsQueue: true });
const organizationId = process.env.ORGANIZATION_ID!;
await queues.whenOpen();

atPace(async () => {
  const message = uuidv7();
  await ledger.transact({ locks: [subjectLock(messageSent.subject.type, message)] }, async (tx) => {
    tx.emit(messageSent, { message_id: message, conversation_id: message, channel_id: message }, { organizationId });
  });
});
