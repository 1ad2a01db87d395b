import { readConfig } from '../src/config.ts';
import { openDatabase } from '../src/database.ts';
import { messageSent } from '../src/events/catalogue.ts';
import { uuidv7 } from '../src/ids.ts';
import { createBackend } from '../src/ledger/backends/index.ts';
import { createLedger } from '../src/ledger/ledger.ts';
import { subjectLock } from '../src/ledger/locks.ts';
import { openQueues } from '../src/ledger/queues.ts';
import '../src/jobs.ts';
import { createLog } from '../src/log.ts';
import { atPace } from './pace.ts';

/** Emits events as the web process does: in a transaction, its subject locked, handed to the queue after the commit. */
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
