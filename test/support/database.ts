import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

/** What test/support/global-setup.ts stored in the environment. */
export function setting(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: run the tests through jest`);
  return value;
}

/** `product`: all tables. `toys`: the same, and the subjects of the ledger's own tests (toys.ts). */
export type TemplateName = 'product' | 'toys';
export const templates: Record<TemplateName, string> = { product: 'kanal_template', toys: 'kanal_template_toys' };

export type TestDatabase = {
  url: string;
  /** Empties it for the next file that needs one. */
  drop(): Promise<void>;
  /** Removes it from the server, though something is connected to it. */
  remove(): Promise<void>;
  /** Deletes the rows of all the product's tables while it runs, and returns how many tables had any. */
  empty(): Promise<number>;
};
/** `client` stays connected from file to file: a new session reads the catalog of every table first, which costs more than the deletions. */
type Reusable = { name: string; schema: string; client: pg.Client | undefined };

/**
 * Emptied databases of this jest worker, ready for its next file: cloning and dropping one costs PostgreSQL more than the tests of a usual
 * file, since each clone starts with empty caches and each drop forces a checkpoint.
 */
const reusable: Record<TemplateName, Reusable[]> = { product: [], toys: [] };

/** A database with all migrations and the queue's schema, empty. `drop` it after all connections of the file are closed. */
export async function createTestDatabase(template: TemplateName = 'product'): Promise<TestDatabase> {
  const database = reusable[template].pop() ?? (await cloneOf(template));
  return {
    url: urlOf(database.name),
    drop: () => release(template, database),
    remove: () => remove(database),
    empty: async () => deleteRows(await clientOf(database), ['public'], ofProcesses),
  };
}

async function cloneOf(template: TemplateName): Promise<Reusable> {
  const name = `kanal_test_${process.pid}_${randomBytes(6).toString('hex')}`;
  for (let attempt = 1; ; attempt += 1) {
    try {
      await asAdmin(`create database ${name} template ${templates[template]}`);
      break;
    } catch (error) {
      // Autovacuum may be connected to the template.
      const isInUse = (error as { code?: string }).code === '55006';
      if (!isInUse || attempt === 20) throw error;
      await sleep(100);
    }
  }
  const database: Reusable = { name, schema: '', client: undefined };
  database.schema = await schemaVersion(await clientOf(database));
  return database;
}

/** Connected anew after a test that has ended all sessions. */
async function clientOf(database: Reusable): Promise<pg.Client> {
  if (database.client) return database.client;
  const client = await connect(urlOf(database.name));
  client.on('end', () => {
    if (database.client === client) database.client = undefined;
  });
  database.client = client;
  return client;
}

/** Empties the database for the next file. One whose schema or settings a test has changed is dropped. */
async function release(template: TemplateName, database: Reusable) {
  const isUnchanged = await emptied(database).catch(() => false);
  if (isUnchanged) reusable[template].push(database);
  else await remove(database);
}

async function emptied(database: Reusable): Promise<boolean> {
  const client = await clientOf(database);
  await client.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  );
  // Fails where a session that is still ending holds what is deleted.
  await deleteRows(client);
  return (await schemaVersion(client)) === database.schema;
}

const remove = async ({ name, client }: Reusable): Promise<void> => {
  await client?.end();
  await asAdmin(`drop database if exists ${name} with (force)`);
};

/** Of a running product: the processes write them by themselves, and expect to find them. The queue's rows are the queue's. */
const ofProcesses = ['heartbeats', 'purges'];

async function deleteRows(client: pg.Client, schemas = ['public', 'bullmq'], except: string[] = []): Promise<number> {
  // A table that never had a row has no page. One whose pages are many is cut, or each file would read the rows that those before it deleted.
  const { rows: tables } = await client.query<{ name: string; isLarge: boolean }>(
    `select format('%I.%I', n.nspname, c.relname) as name, pg_relation_size(c.oid) > 400000 as "isLarge"
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = any($1) and c.relkind = 'r' and c.relname <> all($2) and pg_relation_size(c.oid) > 0`,
    [schemas, ['mikro_orm_migrations', 'migration', ...except]],
  );
  const deletions = tables.map(({ name, isLarge }) => (isLarge ? `truncate ${name} cascade;` : `delete from ${name};`));
  // Without triggers, foreign keys included: the order of the tables does not matter.
  const statements = ['set session_replication_role = replica;', ...deletions, 'reset session_replication_role'];
  const results = (await client.query(statements.join(' '))) as unknown as pg.QueryResult[];
  return results.filter(({ command, rowCount }) => command === 'TRUNCATE' || (rowCount ?? 0) > 0).length;
}

/** Changes with each migration and each change of a table, index, constraint, trigger, function or setting. */
async function schemaVersion(client: pg.Client): Promise<string> {
  const catalogs = ['pg_attribute', 'pg_constraint', 'pg_index', 'pg_trigger', 'pg_proc', 'pg_db_role_setting', 'pg_namespace'];
  const each = catalogs.map((catalog) => `(select concat(count(*), ' ', sum(xmin::text::bigint)) from ${catalog})`);
  const applied = '(select count(*) from mikro_orm_migrations)';
  const { rows } = await client.query<{ version: string }>(`select concat_ws(', ', ${[...each, applied]}) as version`);
  return rows[0]!.version;
}

function urlOf(name: string): string {
  const url = new URL(setting('KANAL_TEST_POSTGRES_URL'));
  url.pathname = `/${name}`;
  return url.href;
}

const asAdmin = (statement: string) => connected(setting('KANAL_TEST_POSTGRES_URL'), (client) => client.query(statement));

/** The caller ends it. */
export async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

async function connected<Value>(url: string, work: (client: pg.Client) => Promise<Value>): Promise<Value> {
  const client = await connect(url);
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
