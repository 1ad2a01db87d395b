import pg from 'pg';
import { knowJobs } from '../../src/jobs.ts';
import { openDatabase } from '../../src/open-database.ts';
import { readConfig } from '../../src/platform/config/config.ts';
import { contactUpdated } from '../../src/platform/events/catalogue.ts';
import { createBackend } from '../../src/platform/ledger/backends/index.ts';
import { createLedger } from '../../src/platform/ledger/ledger.ts';
import { subjectLock } from '../../src/platform/ledger/locks.ts';
import { openQueues } from '../../src/platform/ledger/queues.ts';
import { createLog } from '../../src/platform/log.ts';
import { atPace } from '../pace.ts';

/** Emits changes of contacts as the web process does, each time of another one. */
knowJobs();
const config = readConfig();
const log = createLog('silent', 'bench');
const database = await openDatabase({ url: config.databaseUrl, poolMax: 15, applicationName: 'bench', log });
const queues = openQueues(createBackend(config, log), log, () => process.exit(1));
const ledger = createLedger({ database, queues, log, awaitsQueue: true });
const organizationId = process.env.ORGANIZATION_ID!;
await queues.whenOpen();

const client = new pg.Client({ connectionString: config.databaseUrl });
await client.connect();
const { rows } = await client.query<{ id: string; name: string }>(
  'select id, name from contacts where organization_id = $1 order by id',
  [organizationId],
);
await client.end();

/** All at once they would wait longer for a connection than one may. */
const lanes = Array.from({ length: 12 }, () => Promise.resolve());
let [next, asked] = [0, 0];
atPace(() => {
  const lane = asked++ % lanes.length;
  lanes[lane] = lanes[lane]!.then(emit);
  return lanes[lane];
});

async function emit() {
  const { id, name } = rows[next++ % rows.length]!;
  await ledger.transact({ locks: [subjectLock('contact', id)] }, async (tx) => {
    const data = { contact_id: id, name, organization_id: organizationId, changed: ['custom_fields'] };
    tx.emit(contactUpdated, data, { organizationId });
  });
}
process.send?.({ ready: true });
