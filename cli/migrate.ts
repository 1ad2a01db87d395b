import { MikroORM } from '@mikro-orm/postgresql';
import pg from 'pg';
import { migratingOptions } from '../src/migrations.ts';
import { readConnections } from '../src/platform/config/config.ts';
import { createBackend } from '../src/platform/ledger/backends/index.ts';
import type { Log } from '../src/platform/log.ts';
import { commandLog } from './connect.ts';

type Target = { databaseUrl: string; queueUrl?: string };

/** uuidv7() and `returning old.…` came with PostgreSQL 18. */
const minVersion = 180_000;

export async function migrateCommand() {
  const names = await migrate(readConnections(), commandLog());
  for (const name of names) console.log(`applied ${name}`);
  console.log('The database is up to date');
}

/** Tables, then the queue's schema. Two at once are safe: the second waits and finds nothing to do. Returns what was applied. */
export async function migrate(target: Target, log: Log): Promise<string[]> {
  const client = new pg.Client({ connectionString: target.databaseUrl, connectionTimeoutMillis: 5_000 });
  // The running query reports the error; without a listener it would end the process.
  client.on('error', () => undefined);
  await client.connect();
  try {
    await checkVersion(client);
    // SQL: before the tables are there.
    await client.query(`select pg_advisory_lock(hashtextextended('kanal migrations', 0))`);
    const applied = await migrateTables(target.databaseUrl, log);
    await migrateQueues(target, log);
    return applied;
  } finally {
    await client.end();
  }
}

/** SQL: settings of the server. */
const versionStatement = `
  select current_setting('server_version_num')::int as number, current_setting('server_version') as name`;

async function checkVersion(client: pg.Client) {
  const { rows } = await client.query<{ number: number; name: string }>(versionStatement);
  const { number, name } = rows[0]!;
  if (number < minVersion)
    throw new Error(`PostgreSQL 18 or later is needed, for uuidv7() and "returning old": this server is ${name}`);
}

/** A connection without the processes' statement timeout: a migration may take any time. */
async function migrateTables(clientUrl: string, log: Log): Promise<string[]> {
  const orm = await MikroORM.init({
    ...(await migratingOptions()),
    clientUrl,
    pool: { min: 0, max: 2 },
    logger: (message) => log.debug({ message }, 'database'),
    driverOptions: { application_name: 'kanal-migrate', connectionTimeoutMillis: 5_000 },
  });
  try {
    return (await orm.migrator.up()).map(({ name }) => name);
  } finally {
    await orm.close();
  }
}

async function migrateQueues(target: Target, log: Log) {
  const backend = createBackend(target, log);
  try {
    await backend.migrate();
  } finally {
    await backend.close();
  }
}
